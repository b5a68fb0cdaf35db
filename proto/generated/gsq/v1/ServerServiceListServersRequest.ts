// Original file: gsq/v1/server.proto


export interface ServerServiceListServersRequest {
  /**
   * Id or alias of a game. If empty, all games.
   */
  'game'?: (string);
  /**
   * Status of the servers to find: `pending`, `online` or `offline`. If empty, servers with any status.
   */
  'status'?: (string);
  /**
   * Words to find in the name of a server, in any order, in upper or lower case. Each must be the beginning of a word
   * of the name.
   */
  'q'?: (string);
  /**
   * Order of the servers: `players` (most players first, the default), `-players` (fewest first), `name` or `-name`
   * (reverse).
   */
  'sort'?: (string);
  /**
   * Maximum number of servers in the page, at most 1000; 0 means 50.
   */
  'pageSize'?: (number);
  /**
   * `next_page_token` of the previous response; empty for the first page. All other fields except `page_size` must have
   * the same values as for the first page.
   */
  'pageToken'?: (string);
  /**
   * Minimum number of players. Servers that are not online count as empty.
   */
  'playersMin'?: (number);
  /**
   * Name of the map, in upper or lower case. If empty, any map.
   */
  'map'?: (string);
  /**
   * If true, only servers with a password. If false, only servers without a password. If absent, all servers.
   */
  'password'?: (boolean);
  /**
   * Version of the servers, in upper or lower case. If empty, any version.
   */
  'version'?: (string);
  '_password'?: "password";
}

export interface ServerServiceListServersRequest__Output {
  /**
   * Id or alias of a game. If empty, all games.
   */
  'game': (string);
  /**
   * Status of the servers to find: `pending`, `online` or `offline`. If empty, servers with any status.
   */
  'status': (string);
  /**
   * Words to find in the name of a server, in any order, in upper or lower case. Each must be the beginning of a word
   * of the name.
   */
  'q': (string);
  /**
   * Order of the servers: `players` (most players first, the default), `-players` (fewest first), `name` or `-name`
   * (reverse).
   */
  'sort': (string);
  /**
   * Maximum number of servers in the page, at most 1000; 0 means 50.
   */
  'pageSize': (number);
  /**
   * `next_page_token` of the previous response; empty for the first page. All other fields except `page_size` must have
   * the same values as for the first page.
   */
  'pageToken': (string);
  /**
   * Minimum number of players. Servers that are not online count as empty.
   */
  'playersMin': (number);
  /**
   * Name of the map, in upper or lower case. If empty, any map.
   */
  'map': (string);
  /**
   * If true, only servers with a password. If false, only servers without a password. If absent, all servers.
   */
  'password'?: (boolean);
  /**
   * Version of the servers, in upper or lower case. If empty, any version.
   */
  'version': (string);
  '_password'?: "password";
}
