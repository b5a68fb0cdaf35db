// Original file: gsq/v1/server.proto


export interface RenderedServer {
  /**
   * As the caller wrote it.
   */
  'server'?: (string);
  /**
   * A JSON object, UTF-8.
   */
  'payload'?: (Buffer | Uint8Array | string);
}

export interface RenderedServer__Output {
  /**
   * As the caller wrote it.
   */
  'server': (string);
  /**
   * A JSON object, UTF-8.
   */
  'payload': (Buffer);
}
