// Original file: gsq/v1/server.proto


export interface Player {
  'name'?: (string);
  'score'?: (number);
  /**
   * Number of seconds since the player joined the server.
   */
  'time'?: (number);
}

export interface Player__Output {
  'name': (string);
  'score': (number);
  /**
   * Number of seconds since the player joined the server.
   */
  'time': (number);
}
