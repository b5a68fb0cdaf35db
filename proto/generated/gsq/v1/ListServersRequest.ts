// Original file: gsq/v1/admin.proto


export interface ListServersRequest {
  /**
   * Empty: all games.
   */
  'gameId'?: (string);
  /**
   * Maximum number of servers in the page, at most 1000; 0 means 100.
   */
  'pageSize'?: (number);
  /**
   * `next_page_token` of the previous response; empty for the first page.
   */
  'pageToken'?: (string);
  /**
   * Id of the token that inserted the servers, or `admin`; empty: all servers. A page can then have fewer servers than
   * `page_size`, or none, although more pages follow.
   */
  'insertedBy'?: (string);
}

export interface ListServersRequest__Output {
  /**
   * Empty: all games.
   */
  'gameId': (string);
  /**
   * Maximum number of servers in the page, at most 1000; 0 means 100.
   */
  'pageSize': (number);
  /**
   * `next_page_token` of the previous response; empty for the first page.
   */
  'pageToken': (string);
  /**
   * Id of the token that inserted the servers, or `admin`; empty: all servers. A page can then have fewer servers than
   * `page_size`, or none, although more pages follow.
   */
  'insertedBy': (string);
}
