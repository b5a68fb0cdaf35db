// Original file: gsq/v1/cluster.proto


export interface FollowAccountsRequest {
  /**
   * Id of the calling core.
   */
  'memberId'?: (string);
}

export interface FollowAccountsRequest__Output {
  /**
   * Id of the calling core.
   */
  'memberId': (string);
}
