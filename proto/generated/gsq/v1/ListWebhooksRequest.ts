// Original file: gsq/v1/webhook.proto


export interface ListWebhooksRequest {
  /**
   * Id of the token whose webhooks are listed. Only an operator can set this field. If an operator leaves it empty, all
   * webhooks are listed.
   */
  'tokenId'?: (string);
}

export interface ListWebhooksRequest__Output {
  /**
   * Id of the token whose webhooks are listed. Only an operator can set this field. If an operator leaves it empty, all
   * webhooks are listed.
   */
  'tokenId': (string);
}
