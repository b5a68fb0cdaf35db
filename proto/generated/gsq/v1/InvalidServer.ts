// Original file: gsq/v1/server.proto


export interface InvalidServer {
  'gameId'?: (string);
  'server'?: (string);
  /**
   * unknown_game, malformed_address, blocked_address, unresolvable_host or insert_quota.
   */
  'reason'?: (string);
  'message'?: (string);
}

export interface InvalidServer__Output {
  'gameId': (string);
  'server': (string);
  /**
   * unknown_game, malformed_address, blocked_address, unresolvable_host or insert_quota.
   */
  'reason': (string);
  'message': (string);
}
