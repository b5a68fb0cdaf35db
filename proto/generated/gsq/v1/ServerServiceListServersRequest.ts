// Original file: gsq/v1/server.proto


export interface ServerServiceListServersRequest {
  /**
   * Id or alias of a game; empty: all games.
   */
  'game'?: (string);
  /**
   * `pending`, `online` or `offline`; empty: all.
   */
  'status'?: (string);
  /**
   * Words of the name. Each word must be the beginning of a word of the server's name, in any order and case.
   */
  'q'?: (string);
  /**
   * `players` (most first, the default), `-players` (fewest first), `name` or `-name`.
   */
  'sort'?: (string);
  /**
   * Maximum number of servers in the page, at most 1000; 0 means 50.
   */
  'pageSize'?: (number);
  /**
   * `next_page_token` of the previous response; empty for the first page. The other fields must be as before, except
   * `page_size`.
   */
  'pageToken'?: (string);
  /**
   * Minimum number of players.
   */
  'playersMin'?: (number);
  /**
   * Name of the map, in any case; empty: all.
   */
  'map'?: (string);
  /**
   * True: only servers with a password. False: only servers without one. Absent: all.
   */
  'password'?: (boolean);
  /**
   * Version, in any case; empty: all.
   */
  'version'?: (string);
  '_password'?: "password";
}

export interface ServerServiceListServersRequest__Output {
  /**
   * Id or alias of a game; empty: all games.
   */
  'game': (string);
  /**
   * `pending`, `online` or `offline`; empty: all.
   */
  'status': (string);
  /**
   * Words of the name. Each word must be the beginning of a word of the server's name, in any order and case.
   */
  'q': (string);
  /**
   * `players` (most first, the default), `-players` (fewest first), `name` or `-name`.
   */
  'sort': (string);
  /**
   * Maximum number of servers in the page, at most 1000; 0 means 50.
   */
  'pageSize': (number);
  /**
   * `next_page_token` of the previous response; empty for the first page. The other fields must be as before, except
   * `page_size`.
   */
  'pageToken': (string);
  /**
   * Minimum number of players.
   */
  'playersMin': (number);
  /**
   * Name of the map, in any case; empty: all.
   */
  'map': (string);
  /**
   * True: only servers with a password. False: only servers without one. Absent: all.
   */
  'password'?: (boolean);
  /**
   * Version, in any case; empty: all.
   */
  'version': (string);
  '_password'?: "password";
}
