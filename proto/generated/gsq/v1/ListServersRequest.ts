// Original file: gsq/v1/admin.proto


export interface ListServersRequest {
  /**
   * Empty: all games.
   */
  'gameId'?: (string);
  /**
   * At most 1000; 0 means 100.
   */
  'pageSize'?: (number);
  /**
   * From the answer before.
   */
  'pageToken'?: (string);
}

export interface ListServersRequest__Output {
  /**
   * Empty: all games.
   */
  'gameId': (string);
  /**
   * At most 1000; 0 means 100.
   */
  'pageSize': (number);
  /**
   * From the answer before.
   */
  'pageToken': (string);
}
