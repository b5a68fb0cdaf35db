// Original file: gsq/v1/admin.proto


export interface BackupRequest {
  /**
   * True to leave the history of the servers out of the backup. The history can have gigabytes.
   */
  'withoutHistory'?: (boolean);
}

export interface BackupRequest__Output {
  /**
   * True to leave the history of the servers out of the backup. The history can have gigabytes.
   */
  'withoutHistory': (boolean);
}
