// Original file: gsq/v1/cluster.proto

import type { StoreKeys as _gsq_v1_StoreKeys, StoreKeys__Output as _gsq_v1_StoreKeys__Output } from '../../gsq/v1/StoreKeys.ts';
import type { MovedStore as _gsq_v1_MovedStore, MovedStore__Output as _gsq_v1_MovedStore__Output } from '../../gsq/v1/MovedStore.ts';
import type { HistoryPosition as _gsq_v1_HistoryPosition, HistoryPosition__Output as _gsq_v1_HistoryPosition__Output } from '../../gsq/v1/HistoryPosition.ts';

export interface MoveStoreRequest {
  /**
   * Returns the next entries with a key after this one, in key order; none at the end.
   */
  'readAfter'?: (string);
  /**
   * Returns the entries with these keys.
   */
  'read'?: (_gsq_v1_StoreKeys | null);
  /**
   * Returns some of the entries that were written or deleted since the stream began and were not returned yet.
   */
  'readChanges'?: (boolean);
  /**
   * Writes the records of servers that are newer in the memory of the core than in its store.
   */
  'settle'?: (boolean);
  /**
   * Opens the read-only window: fetches go on, changes are refused. It ends after 30 seconds, or with the stream.
   */
  'hold'?: (boolean);
  /**
   * Marks the store as moved. The core then stays read-only.
   */
  'commit'?: (_gsq_v1_MovedStore | null);
  /**
   * Undoes `commit`.
   */
  'release'?: (boolean);
  /**
   * Returns only what each response contains.
   */
  'look'?: (boolean);
  /**
   * Returns the directories of the history, after everything that was queued is written.
   */
  'lookHistory'?: (boolean);
  /**
   * Returns the next entries of a directory of the history with a key after this one, in key order; none at the end.
   */
  'readHistory'?: (_gsq_v1_HistoryPosition | null);
  'step'?: "readAfter"|"read"|"readChanges"|"settle"|"hold"|"commit"|"release"|"look"|"lookHistory"|"readHistory";
}

export interface MoveStoreRequest__Output {
  /**
   * Returns the next entries with a key after this one, in key order; none at the end.
   */
  'readAfter'?: (string);
  /**
   * Returns the entries with these keys.
   */
  'read'?: (_gsq_v1_StoreKeys__Output | null);
  /**
   * Returns some of the entries that were written or deleted since the stream began and were not returned yet.
   */
  'readChanges'?: (boolean);
  /**
   * Writes the records of servers that are newer in the memory of the core than in its store.
   */
  'settle'?: (boolean);
  /**
   * Opens the read-only window: fetches go on, changes are refused. It ends after 30 seconds, or with the stream.
   */
  'hold'?: (boolean);
  /**
   * Marks the store as moved. The core then stays read-only.
   */
  'commit'?: (_gsq_v1_MovedStore__Output | null);
  /**
   * Undoes `commit`.
   */
  'release'?: (boolean);
  /**
   * Returns only what each response contains.
   */
  'look'?: (boolean);
  /**
   * Returns the directories of the history, after everything that was queued is written.
   */
  'lookHistory'?: (boolean);
  /**
   * Returns the next entries of a directory of the history with a key after this one, in key order; none at the end.
   */
  'readHistory'?: (_gsq_v1_HistoryPosition__Output | null);
  'step'?: "readAfter"|"read"|"readChanges"|"settle"|"hold"|"commit"|"release"|"look"|"lookHistory"|"readHistory";
}
