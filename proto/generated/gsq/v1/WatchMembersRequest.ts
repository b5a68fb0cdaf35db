// Original file: gsq/v1/cluster.proto


export interface WatchMembersRequest {
}

export interface WatchMembersRequest__Output {
}
