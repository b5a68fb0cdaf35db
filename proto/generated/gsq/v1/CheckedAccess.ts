// Original file: gsq/v1/server.proto


export interface CheckedAccess {
}

export interface CheckedAccess__Output {
}
