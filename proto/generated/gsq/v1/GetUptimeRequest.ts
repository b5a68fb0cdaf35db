// Original file: gsq/v1/history.proto


export interface GetUptimeRequest {
  /**
   * Id or alias of a game.
   */
  'gameId'?: (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server'?: (string);
  /**
   * Lengths of the uptime windows, which are spans of time that all end now: hours (`24h`) or days (`7d`), separated by
   * commas, at most 10. If empty, 24h,7d,30d,365d.
   */
  'window'?: (string);
}

export interface GetUptimeRequest__Output {
  /**
   * Id or alias of a game.
   */
  'gameId': (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server': (string);
  /**
   * Lengths of the uptime windows, which are spans of time that all end now: hours (`24h`) or days (`7d`), separated by
   * commas, at most 10. If empty, 24h,7d,30d,365d.
   */
  'window': (string);
}
