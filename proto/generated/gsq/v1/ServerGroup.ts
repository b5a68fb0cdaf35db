// Original file: gsq/v1/server.proto


export interface ServerGroup {
  /**
   * Id or alias of a game in the games catalog.
   */
  'gameId'?: (string);
  /**
   * Addresses, `<host_or_ip>:<port>`.
   */
  'servers'?: (string)[];
}

export interface ServerGroup__Output {
  /**
   * Id or alias of a game in the games catalog.
   */
  'gameId': (string);
  /**
   * Addresses, `<host_or_ip>:<port>`.
   */
  'servers': (string)[];
}
