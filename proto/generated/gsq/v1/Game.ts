// Original file: gsq/v1/game.proto


export interface Game {
  /**
   * Matches [a-z0-9]+; what a fetch calls `game_id`.
   */
  'id'?: (string);
  /**
   * Display name, never empty.
   */
  'name'?: (string);
}

export interface Game__Output {
  /**
   * Matches [a-z0-9]+; what a fetch calls `game_id`.
   */
  'id': (string);
  /**
   * Display name, never empty.
   */
  'name': (string);
}
