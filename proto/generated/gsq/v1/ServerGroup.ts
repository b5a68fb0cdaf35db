// Original file: gsq/v1/server.proto


export interface ServerGroup {
  /**
   * An id, or an alias, of the games catalog.
   */
  'gameId'?: (string);
  /**
   * Addresses, `<host_or_ip>:<port>`.
   */
  'servers'?: (string)[];
}

export interface ServerGroup__Output {
  /**
   * An id, or an alias, of the games catalog.
   */
  'gameId': (string);
  /**
   * Addresses, `<host_or_ip>:<port>`.
   */
  'servers': (string)[];
}
