// Original file: gsq/v1/cluster.proto


export interface FollowChangesRequest {
}

export interface FollowChangesRequest__Output {
}
