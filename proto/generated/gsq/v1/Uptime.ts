// Original file: gsq/v1/history.proto


export interface Uptime {
  /**
   * Length of the window, written as in the request.
   */
  'window'?: (string);
  /**
   * Share of the known time in which the server was online, from 0 to 1; absent if the whole window is unknown.
   */
  'onlineShare'?: (number | string);
  /**
   * Share of the window for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare'?: (number | string);
  '_onlineShare'?: "onlineShare";
}

export interface Uptime__Output {
  /**
   * Length of the window, written as in the request.
   */
  'window': (string);
  /**
   * Share of the known time in which the server was online, from 0 to 1; absent if the whole window is unknown.
   */
  'onlineShare'?: (number);
  /**
   * Share of the window for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare': (number);
  '_onlineShare'?: "onlineShare";
}
