// Original file: gsq/v1/history.proto


/**
 * The numbers of players of a server in the last 24 hours.
 */
export interface Trend {
  'gameId'?: (string);
  'server'?: (string);
  /**
   * Mean number of players of the server in each time step, rounded, the oldest step first; -1 if unknown.
   */
  'players'?: (number)[];
}

/**
 * The numbers of players of a server in the last 24 hours.
 */
export interface Trend__Output {
  'gameId': (string);
  'server': (string);
  /**
   * Mean number of players of the server in each time step, rounded, the oldest step first; -1 if unknown.
   */
  'players': (number)[];
}
