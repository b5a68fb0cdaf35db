// Original file: gsq/v1/server.proto


export interface GetServerRequest {
  /**
   * Id or alias of a game.
   */
  'gameId'?: (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server'?: (string);
}

export interface GetServerRequest__Output {
  /**
   * Id or alias of a game.
   */
  'gameId': (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server': (string);
}
