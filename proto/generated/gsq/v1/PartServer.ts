// Original file: gsq/v1/cluster.proto


/**
 * The result for one server of a PartCall.
 */
export interface PartServer {
  /**
   * Record of the server in the store format; empty if the server is not tracked.
   */
  'record'?: (Buffer | Uint8Array | string);
  /**
   * True if the call inserted the server.
   */
  'inserted'?: (boolean);
  /**
   * Why the address was refused (see InvalidServer); empty if it was not.
   */
  'invalidReason'?: (string);
  'invalidMessage'?: (string);
  /**
   * True if the called core does not own the bucket of the server. The caller must ask the new owner.
   */
  'moved'?: (boolean);
}

/**
 * The result for one server of a PartCall.
 */
export interface PartServer__Output {
  /**
   * Record of the server in the store format; empty if the server is not tracked.
   */
  'record': (Buffer);
  /**
   * True if the call inserted the server.
   */
  'inserted': (boolean);
  /**
   * Why the address was refused (see InvalidServer); empty if it was not.
   */
  'invalidReason': (string);
  'invalidMessage': (string);
  /**
   * True if the called core does not own the bucket of the server. The caller must ask the new owner.
   */
  'moved': (boolean);
}
