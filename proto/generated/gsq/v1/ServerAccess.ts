// Original file: gsq/v1/admin.proto


/**
 * Summary of the stored secret and options of a server. No response contains their values.
 */
export interface ServerAccess {
  'gameId'?: (string);
  'server'?: (string);
  'hasSecret'?: (boolean);
  /**
   * Names of the options.
   */
  'options'?: (string)[];
}

/**
 * Summary of the stored secret and options of a server. No response contains their values.
 */
export interface ServerAccess__Output {
  'gameId': (string);
  'server': (string);
  'hasSecret': (boolean);
  /**
   * Names of the options.
   */
  'options': (string)[];
}
