// Original file: gsq/v1/cluster.proto


export interface HistoryDirectory {
  'path'?: (string);
  /**
   * Number that changes with each write to the directory.
   */
  'version'?: (number);
}

export interface HistoryDirectory__Output {
  'path': (string);
  /**
   * Number that changes with each write to the directory.
   */
  'version': (number);
}
