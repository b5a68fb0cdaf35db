// Original file: gsq/v1/webhook.proto


export interface ListWebhooksRequest {
  /**
   * Only for an operator: id of the token whose webhooks are listed; empty: all webhooks.
   */
  'tokenId'?: (string);
}

export interface ListWebhooksRequest__Output {
  /**
   * Only for an operator: id of the token whose webhooks are listed; empty: all webhooks.
   */
  'tokenId': (string);
}
