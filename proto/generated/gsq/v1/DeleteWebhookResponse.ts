// Original file: gsq/v1/webhook.proto


export interface DeleteWebhookResponse {
}

export interface DeleteWebhookResponse__Output {
}
