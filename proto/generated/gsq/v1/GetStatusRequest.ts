// Original file: gsq/v1/server.proto


export interface GetStatusRequest {
}

export interface GetStatusRequest__Output {
}
