// Original file: gsq/v1/server.proto

import type { RenderedServer as _gsq_v1_RenderedServer, RenderedServer__Output as _gsq_v1_RenderedServer__Output } from '../../gsq/v1/RenderedServer.ts';

/**
 * A fetch as REST shows it: one JSON object for each address key, and `_meta`.
 */
export interface RenderedFetch {
  /**
   * In order of first mention; each `server` once.
   */
  'servers'?: (_gsq_v1_RenderedServer)[];
  /**
   * The JSON object `_meta`, UTF-8.
   */
  'meta'?: (Buffer | Uint8Array | string);
}

/**
 * A fetch as REST shows it: one JSON object for each address key, and `_meta`.
 */
export interface RenderedFetch__Output {
  /**
   * In order of first mention; each `server` once.
   */
  'servers': (_gsq_v1_RenderedServer__Output)[];
  /**
   * The JSON object `_meta`, UTF-8.
   */
  'meta': (Buffer);
}
