// Original file: gsq/v1/admin.proto


export interface AllowList {
  /**
   * Empty: all are allowed.
   */
  'entries'?: (string)[];
}

export interface AllowList__Output {
  /**
   * Empty: all are allowed.
   */
  'entries': (string)[];
}
