// Original file: gsq/v1/cluster.proto

import type { MovedStore as _gsq_v1_MovedStore, MovedStore__Output as _gsq_v1_MovedStore__Output } from '../../gsq/v1/MovedStore.ts';
import type { StoreDigest as _gsq_v1_StoreDigest, StoreDigest__Output as _gsq_v1_StoreDigest__Output } from '../../gsq/v1/StoreDigest.ts';

/**
 * The state of the store that is handed over.
 */
export interface StoreState {
  /**
   * Number of the lock file of the store in its file system, by which the caller knows that it talks to the right core.
   */
  'lockFile'?: (string);
  /**
   * Absent if the store was not moved.
   */
  'moved'?: (_gsq_v1_MovedStore | null);
  'digests'?: (_gsq_v1_StoreDigest)[];
}

/**
 * The state of the store that is handed over.
 */
export interface StoreState__Output {
  /**
   * Number of the lock file of the store in its file system, by which the caller knows that it talks to the right core.
   */
  'lockFile': (string);
  /**
   * Absent if the store was not moved.
   */
  'moved': (_gsq_v1_MovedStore__Output | null);
  'digests': (_gsq_v1_StoreDigest__Output)[];
}
