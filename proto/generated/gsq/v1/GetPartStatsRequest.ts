// Original file: gsq/v1/cluster.proto


export interface GetPartStatsRequest {
  /**
   * Number of games to count, those with the most servers.
   */
  'games'?: (number);
}

export interface GetPartStatsRequest__Output {
  /**
   * Number of games to count, those with the most servers.
   */
  'games': (number);
}
