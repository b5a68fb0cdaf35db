// Original file: gsq/v1/server.proto


export interface CheckAccess {
}

export interface CheckAccess__Output {
}
