// Original file: gsq/v1/history.proto


export interface ListIncidentsRequest {
  /**
   * Id or alias of a game.
   */
  'gameId'?: (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server'?: (string);
  /**
   * Maximum number of incidents in the page, at most 1000; 0 means 50.
   */
  'pageSize'?: (number);
  /**
   * `next_page_token` of the previous response; empty for the first page.
   */
  'pageToken'?: (string);
}

export interface ListIncidentsRequest__Output {
  /**
   * Id or alias of a game.
   */
  'gameId': (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server': (string);
  /**
   * Maximum number of incidents in the page, at most 1000; 0 means 50.
   */
  'pageSize': (number);
  /**
   * `next_page_token` of the previous response; empty for the first page.
   */
  'pageToken': (string);
}
