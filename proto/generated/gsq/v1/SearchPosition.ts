// Original file: gsq/v1/cluster.proto


/**
 * Position in a sorted list, immediately after the server with these values.
 */
export interface SearchPosition {
  'players'?: (number);
  'words'?: (string);
  'gameId'?: (string);
  'address'?: (string);
}

/**
 * Position in a sorted list, immediately after the server with these values.
 */
export interface SearchPosition__Output {
  'players': (number);
  'words': (string);
  'gameId': (string);
  'address': (string);
}
