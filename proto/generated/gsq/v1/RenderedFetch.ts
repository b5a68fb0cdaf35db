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
   * Where in `body` the part of each payload lies that stays the same until the server's next probe: start and end
   * of each, in their order. For readers that keep what they made of a payload.
   */
  'cuts'?: (number)[];
  /**
   * Other bytes for another body, the same for the same; for entity tags. Good for as long as the core runs.
   */
  'tag'?: (Buffer | Uint8Array | string);
  /**
   * A number for each of the parts in `cuts`, nearly always another one for another part: to look it up by.
   */
  'marks'?: (number)[];
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
   * Where in `body` the part of each payload lies that stays the same until the server's next probe: start and end
   * of each, in their order. For readers that keep what they made of a payload.
   */
  'cuts': (number)[];
  /**
   * Other bytes for another body, the same for the same; for entity tags. Good for as long as the core runs.
   */
  'tag': (Buffer);
  /**
   * A number for each of the parts in `cuts`, nearly always another one for another part: to look it up by.
   */
  'marks': (number)[];
}
