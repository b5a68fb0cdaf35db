// Original file: gsq/v1/history.proto


export interface Uptime {
  /**
   * Length of the uptime window (a span of time that ends now), written as in the request, such as `24h`.
   */
  'window'?: (string);
  /**
   * Share of the uptime window in which the server was online, from 0 to 1; absent if unknown. Times for which gsq does
   * not know the status do not count.
   */
  'onlineShare'?: (number | string);
  /**
   * Share of the uptime window for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare'?: (number | string);
  '_onlineShare'?: "onlineShare";
}

export interface Uptime__Output {
  /**
   * Length of the uptime window (a span of time that ends now), written as in the request, such as `24h`.
   */
  'window': (string);
  /**
   * Share of the uptime window in which the server was online, from 0 to 1; absent if unknown. Times for which gsq does
   * not know the status do not count.
   */
  'onlineShare'?: (number);
  /**
   * Share of the uptime window for which gsq knows whether the server was online, from 0 to 1.
   */
  'knownShare': (number);
  '_onlineShare'?: "onlineShare";
}
