// Original file: gsq/v1/admin.proto


export interface BackupResponse {
  /**
   * Complete lines, including their line feeds.
   */
  'lines'?: (Buffer | Uint8Array | string);
}

export interface BackupResponse__Output {
  /**
   * Complete lines, including their line feeds.
   */
  'lines': (Buffer);
}
