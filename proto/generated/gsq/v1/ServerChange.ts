// Original file: gsq/v1/cluster.proto


/**
 * A visible change of a server.
 */
export interface ServerChange {
  /**
   * Game id, a space and the canonical address.
   */
  'key'?: (string);
  /**
   * The changed fields, as bits.
   */
  'fields'?: (number);
  /**
   * Record before the change in the store format; empty if the server was inserted.
   */
  'before'?: (Buffer | Uint8Array | string);
  /**
   * Record after the change in the store format; empty if the server was removed.
   */
  'after'?: (Buffer | Uint8Array | string);
}

/**
 * A visible change of a server.
 */
export interface ServerChange__Output {
  /**
   * Game id, a space and the canonical address.
   */
  'key': (string);
  /**
   * The changed fields, as bits.
   */
  'fields': (number);
  /**
   * Record before the change in the store format; empty if the server was inserted.
   */
  'before': (Buffer);
  /**
   * Record after the change in the store format; empty if the server was removed.
   */
  'after': (Buffer);
}
