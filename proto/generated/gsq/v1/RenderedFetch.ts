// Original file: gsq/v1/server.proto


/**
 * A fetch as REST shows it.
 */
export interface RenderedFetch {
  /**
   * One JSON object, UTF-8: each address as the caller wrote it, in order of first mention, then `_meta`.
   */
  'body'?: (Buffer | Uint8Array | string);
  /**
   * Whether `body` is compressed: one gzip member. Only where the call accepts it, and never where it does not pay.
   */
  'gzipped'?: (boolean);
  /**
   * Other bytes for another body, the same for the same; for entity tags. Good for as long as the core runs.
   */
  'tag'?: (Buffer | Uint8Array | string);
}

/**
 * A fetch as REST shows it.
 */
export interface RenderedFetch__Output {
  /**
   * One JSON object, UTF-8: each address as the caller wrote it, in order of first mention, then `_meta`.
   */
  'body': (Buffer);
  /**
   * Whether `body` is compressed: one gzip member. Only where the call accepts it, and never where it does not pay.
   */
  'gzipped': (boolean);
  /**
   * Other bytes for another body, the same for the same; for entity tags. Good for as long as the core runs.
   */
  'tag': (Buffer);
}
