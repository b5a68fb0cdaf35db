// Original file: gsq/v1/server.proto


/**
 * Result of a fetch in the form of the REST response.
 */
export interface RenderedFetch {
  /**
   * One JSON object in UTF-8. Its keys are the addresses as the caller wrote them, in the order of their first
   * occurrence, followed by `_meta`.
   */
  'body'?: (Buffer | Uint8Array | string);
  /**
   * True if `body` is compressed as one gzip member. A body is compressed only if the call accepts it and compression
   * is worthwhile.
   */
  'gzipped'?: (boolean);
  /**
   * Equal for equal bodies and different for different bodies, so it can serve as an entity tag. Valid until the core
   * ends.
   */
  'tag'?: (Buffer | Uint8Array | string);
}

/**
 * Result of a fetch in the form of the REST response.
 */
export interface RenderedFetch__Output {
  /**
   * One JSON object in UTF-8. Its keys are the addresses as the caller wrote them, in the order of their first
   * occurrence, followed by `_meta`.
   */
  'body': (Buffer);
  /**
   * True if `body` is compressed as one gzip member. A body is compressed only if the call accepts it and compression
   * is worthwhile.
   */
  'gzipped': (boolean);
  /**
   * Equal for equal bodies and different for different bodies, so it can serve as an entity tag. Valid until the core
   * ends.
   */
  'tag': (Buffer);
}
