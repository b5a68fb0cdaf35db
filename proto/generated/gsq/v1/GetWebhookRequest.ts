// Original file: gsq/v1/webhook.proto


export interface GetWebhookRequest {
  'id'?: (string);
}

export interface GetWebhookRequest__Output {
  'id': (string);
}
