// Original file: gsq/v1/cluster.proto

import type { HistoryDirectory as _gsq_v1_HistoryDirectory, HistoryDirectory__Output as _gsq_v1_HistoryDirectory__Output } from '../../gsq/v1/HistoryDirectory.ts';

/**
 * The directories of the history of a core.
 */
export interface HistoryDirectories {
  /**
   * Secret key with which the keys of servers are hashed.
   */
  'secret'?: (Buffer | Uint8Array | string);
  'directories'?: (_gsq_v1_HistoryDirectory)[];
}

/**
 * The directories of the history of a core.
 */
export interface HistoryDirectories__Output {
  /**
   * Secret key with which the keys of servers are hashed.
   */
  'secret': (Buffer);
  'directories': (_gsq_v1_HistoryDirectory__Output)[];
}
