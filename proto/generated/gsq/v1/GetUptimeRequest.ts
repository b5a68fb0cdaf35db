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
   * Comma-separated lengths of time before now: hours (`24h`) or days (`7d`), at most 10. Empty means 24h,7d,30d,365d.
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
   * Comma-separated lengths of time before now: hours (`24h`) or days (`7d`), at most 10. Empty means 24h,7d,30d,365d.
   */
  'window': (string);
}
