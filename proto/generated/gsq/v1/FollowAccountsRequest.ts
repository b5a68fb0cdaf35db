// Original file: gsq/v1/cluster.proto


export interface FollowAccountsRequest {
}

export interface FollowAccountsRequest__Output {
}
