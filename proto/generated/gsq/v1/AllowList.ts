// Original file: gsq/v1/admin.proto


export interface AllowList {
  /**
   * An empty list allows all.
   */
  'entries'?: (string)[];
}

export interface AllowList__Output {
  /**
   * An empty list allows all.
   */
  'entries': (string)[];
}
