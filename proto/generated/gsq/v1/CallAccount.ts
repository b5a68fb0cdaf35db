// Original file: gsq/v1/server.proto


/**
 * Data about one fetch, for a log. It contains no secret and no e-mail address.
 */
export interface CallAccount {
  /**
   * Public id of the token.
   */
  'tokenId'?: (string);
  /**
   * Number of addresses in the request.
   */
  'addresses'?: (number);
  /**
   * Number of servers that the fetch inserted.
   */
  'inserted'?: (number);
  /**
   * Number of addresses that are not valid.
   */
  'invalid'?: (number);
}

/**
 * Data about one fetch, for a log. It contains no secret and no e-mail address.
 */
export interface CallAccount__Output {
  /**
   * Public id of the token.
   */
  'tokenId': (string);
  /**
   * Number of addresses in the request.
   */
  'addresses': (number);
  /**
   * Number of servers that the fetch inserted.
   */
  'inserted': (number);
  /**
   * Number of addresses that are not valid.
   */
  'invalid': (number);
}
