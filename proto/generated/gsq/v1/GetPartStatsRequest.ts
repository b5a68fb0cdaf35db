// Original file: gsq/v1/cluster.proto


export interface GetPartStatsRequest {
  /**
   * True to return only `status`.
   */
  'statusOnly'?: (boolean);
}

export interface GetPartStatsRequest__Output {
  /**
   * True to return only `status`.
   */
  'statusOnly': (boolean);
}
