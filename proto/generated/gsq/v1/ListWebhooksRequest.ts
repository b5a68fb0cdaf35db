// Original file: gsq/v1/webhook.proto


export interface ListWebhooksRequest {
  /**
   * Id of the token whose webhooks an operator wants to see. If empty, an operator sees all webhooks. For all other
   * callers, this field has no effect.
   */
  'tokenId'?: (string);
}

export interface ListWebhooksRequest__Output {
  /**
   * Id of the token whose webhooks an operator wants to see. If empty, an operator sees all webhooks. For all other
   * callers, this field has no effect.
   */
  'tokenId': (string);
}
