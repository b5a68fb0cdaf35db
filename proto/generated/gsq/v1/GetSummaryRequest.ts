// Original file: gsq/v1/server.proto


export interface GetSummaryRequest {
  /**
   * Id or alias of a game. If empty, all games.
   */
  'game'?: (string);
}

export interface GetSummaryRequest__Output {
  /**
   * Id or alias of a game. If empty, all games.
   */
  'game': (string);
}
