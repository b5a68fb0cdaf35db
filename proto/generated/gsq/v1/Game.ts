// Original file: gsq/v1/game.proto


export interface Game {
  /**
   * Id of the game, called `game_id` in a fetch. Matches [a-z0-9]+.
   */
  'id'?: (string);
  /**
   * Display name, never empty.
   */
  'name'?: (string);
}

export interface Game__Output {
  /**
   * Id of the game, called `game_id` in a fetch. Matches [a-z0-9]+.
   */
  'id': (string);
  /**
   * Display name, never empty.
   */
  'name': (string);
}
