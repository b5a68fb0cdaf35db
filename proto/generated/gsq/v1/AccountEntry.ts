// Original file: gsq/v1/cluster.proto


/**
 * An entry of the store about a token: the token, its usage in one minute, or the time of its last use. The first
 * complete copy begins with the check value of the token key.
 */
export interface AccountEntry {
  'key'?: (string);
  /**
   * Empty if the entry was deleted.
   */
  'value'?: (Buffer | Uint8Array | string);
}

/**
 * An entry of the store about a token: the token, its usage in one minute, or the time of its last use. The first
 * complete copy begins with the check value of the token key.
 */
export interface AccountEntry__Output {
  'key': (string);
  /**
   * Empty if the entry was deleted.
   */
  'value': (Buffer);
}
