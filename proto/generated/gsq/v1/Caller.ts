// Original file: gsq/v1/server.proto


export interface Caller {
  /**
   * IP address.
   */
  'address'?: (string);
  /**
   * Host in the Origin or Referer header; empty if neither header was sent.
   */
  'domain'?: (string);
}

export interface Caller__Output {
  /**
   * IP address.
   */
  'address': (string);
  /**
   * Host in the Origin or Referer header; empty if neither header was sent.
   */
  'domain': (string);
}
