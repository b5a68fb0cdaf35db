// Original file: gsq/v1/server.proto


/**
 * One rate policy and what is left of it.
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
   * Seconds until more is allowed again.
   */
  'resetSeconds'?: (number);
}

/**
 * One rate policy and what is left of it.
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
   * Seconds until more is allowed again.
   */
  'resetSeconds': (number);
}
