// Original file: gsq/v1/webhook.proto


export interface DeleteWebhookRequest {
  'id'?: (string);
}

export interface DeleteWebhookRequest__Output {
  'id': (string);
}
