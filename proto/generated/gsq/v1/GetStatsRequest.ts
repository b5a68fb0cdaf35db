// Original file: gsq/v1/admin.proto


export interface GetStatsRequest {
}

export interface GetStatsRequest__Output {
}
