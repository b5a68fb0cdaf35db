// Original file: gsq/v1/webhook.proto


export interface TestWebhookResponse {
  /**
   * Id of the queued test delivery.
   */
  'deliveryId'?: (string);
}

export interface TestWebhookResponse__Output {
  /**
   * Id of the queued test delivery.
   */
  'deliveryId': (string);
}
