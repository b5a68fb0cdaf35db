// Original file: gsq/v1/admin.proto


export interface BackupRequest {
}

export interface BackupRequest__Output {
}
