// Original file: gsq/v1/admin.proto


export interface GetStatsRequest {
  /**
   * How many games to name in the answer, those with most servers first; at most 100.
   */
  'games'?: (number);
}

export interface GetStatsRequest__Output {
  /**
   * How many games to name in the answer, those with most servers first; at most 100.
   */
  'games': (number);
}
