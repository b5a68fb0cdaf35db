// Original file: gsq/v1/server.proto


export interface Caller {
  /**
   * IP address.
   */
  'address'?: (string);
  /**
   * Host of the Origin or Referer header; empty where there was none.
   */
  'domain'?: (string);
}

export interface Caller__Output {
  /**
   * IP address.
   */
  'address': (string);
  /**
   * Host of the Origin or Referer header; empty where there was none.
   */
  'domain': (string);
}
