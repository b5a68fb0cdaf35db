// Original file: gsq/v1/webhook.proto


export interface TestWebhookRequest {
  'id'?: (string);
}

export interface TestWebhookRequest__Output {
  'id': (string);
}
