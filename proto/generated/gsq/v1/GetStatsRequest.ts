// Original file: gsq/v1/admin.proto


export interface GetStatsRequest {
  /**
   * Maximum number of games in the response, at most 100. The games with the most servers are listed first.
   */
  'games'?: (number);
}

export interface GetStatsRequest__Output {
  /**
   * Maximum number of games in the response, at most 100. The games with the most servers are listed first.
   */
  'games': (number);
}
