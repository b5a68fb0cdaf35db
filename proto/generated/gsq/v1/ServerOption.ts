// Original file: gsq/v1/admin.proto


/**
 * One option of a server: `guild`, `query_port` ... (docs/protocols.md).
 */
export interface ServerOption {
  /**
   * At most 32 characters of [a-z_].
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
   * At most 32 characters of [a-z_].
   */
  'name': (string);
  /**
   * At most 256 characters.
   */
  'value': (string);
}
