// Original file: gsq/v1/admin.proto


export interface BackupResponse {
  /**
   * Whole lines, each with its line feed.
   */
  'lines'?: (Buffer | Uint8Array | string);
}

export interface BackupResponse__Output {
  /**
   * Whole lines, each with its line feed.
   */
  'lines': (Buffer);
}
