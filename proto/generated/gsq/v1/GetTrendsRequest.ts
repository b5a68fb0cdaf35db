// Original file: gsq/v1/history.proto


export interface GetTrendsRequest {
  /**
   * Servers, each as `game_id/address`, at most 100.
   */
  'server'?: (string)[];
}

export interface GetTrendsRequest__Output {
  /**
   * Servers, each as `game_id/address`, at most 100.
   */
  'server': (string)[];
}
