// Original file: gsq/v1/server.proto


/**
 * A rate limit and its remaining requests.
 */
export interface Allowance {
  /**
   * `day` or `burst`.
   */
  'policy'?: (string);
  'limit'?: (number);
  'remaining'?: (number);
  'windowSeconds'?: (number);
  /**
   * Number of seconds until the limit allows more requests again.
   */
  'resetSeconds'?: (number);
}

/**
 * A rate limit and its remaining requests.
 */
export interface Allowance__Output {
  /**
   * `day` or `burst`.
   */
  'policy': (string);
  'limit': (number);
  'remaining': (number);
  'windowSeconds': (number);
  /**
   * Number of seconds until the limit allows more requests again.
   */
  'resetSeconds': (number);
}
