// Original file: gsq/v1/admin.proto


/**
 * One option of a server: `guild`, `query_port` ... (docs/protocols.md).
 */
export interface ServerOption {
  /**
   * [a-z_], at most 32.
   */
  'name'?: (string);
  /**
   * At most 256 characters.
   */
  'value'?: (string);
}

/**
 * One option of a server: `guild`, `query_port` ... (docs/protocols.md).
 */
export interface ServerOption__Output {
  /**
   * [a-z_], at most 32.
   */
  'name': (string);
  /**
   * At most 256 characters.
   */
  'value': (string);
}
