// Original file: gsq/v1/admin.proto


/**
 * What is stored to ask a server with; values are in no answer.
 */
export interface ServerAccess {
  'gameId'?: (string);
  'server'?: (string);
  'hasSecret'?: (boolean);
  /**
   * Names of its options.
   */
  'options'?: (string)[];
}

/**
 * What is stored to ask a server with; values are in no answer.
 */
export interface ServerAccess__Output {
  'gameId': (string);
  'server': (string);
  'hasSecret': (boolean);
  /**
   * Names of its options.
   */
  'options': (string)[];
}
