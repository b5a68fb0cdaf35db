// Original file: gsq/v1/admin.proto


export interface BackupRequest {
  /**
   * True to leave out the history, which can have gigabytes.
   */
  'withoutHistory'?: (boolean);
}

export interface BackupRequest__Output {
  /**
   * True to leave out the history, which can have gigabytes.
   */
  'withoutHistory': (boolean);
}
