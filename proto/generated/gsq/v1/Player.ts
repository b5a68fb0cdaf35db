// Original file: gsq/v1/server.proto


export interface Player {
  'name'?: (string);
  'score'?: (number);
  /**
   * Seconds on the server.
   */
  'time'?: (number);
}

export interface Player__Output {
  'name': (string);
  'score': (number);
  /**
   * Seconds on the server.
   */
  'time': (number);
}
