// Original file: gsq/v1/cluster.proto

import type { StoreEntry as _gsq_v1_StoreEntry, StoreEntry__Output as _gsq_v1_StoreEntry__Output } from '../../gsq/v1/StoreEntry.ts';
import type { StoreState as _gsq_v1_StoreState, StoreState__Output as _gsq_v1_StoreState__Output } from '../../gsq/v1/StoreState.ts';
import type { HistoryDirectories as _gsq_v1_HistoryDirectories, HistoryDirectories__Output as _gsq_v1_HistoryDirectories__Output } from '../../gsq/v1/HistoryDirectories.ts';
import type { HistoryEntry as _gsq_v1_HistoryEntry, HistoryEntry__Output as _gsq_v1_HistoryEntry__Output } from '../../gsq/v1/HistoryEntry.ts';

export interface MoveStoreResponse {
  'entries'?: (_gsq_v1_StoreEntry)[];
  /**
   * Only in the response to `read_changes`: keys of deleted entries.
   */
  'removed'?: (string)[];
  /**
   * Only in the response to `read_changes`: number of further changes, which the next such step returns.
   */
  'left'?: (number);
  /**
   * Only in the response to `look`.
   */
  'state'?: (_gsq_v1_StoreState | null);
  /**
   * Only in the response to `look_history`.
   */
  'history'?: (_gsq_v1_HistoryDirectories | null);
  /**
   * Only in the response to `read_history`.
   */
  'historyEntries'?: (_gsq_v1_HistoryEntry)[];
}

export interface MoveStoreResponse__Output {
  'entries': (_gsq_v1_StoreEntry__Output)[];
  /**
   * Only in the response to `read_changes`: keys of deleted entries.
   */
  'removed': (string)[];
  /**
   * Only in the response to `read_changes`: number of further changes, which the next such step returns.
   */
  'left': (number);
  /**
   * Only in the response to `look`.
   */
  'state': (_gsq_v1_StoreState__Output | null);
  /**
   * Only in the response to `look_history`.
   */
  'history': (_gsq_v1_HistoryDirectories__Output | null);
  /**
   * Only in the response to `read_history`.
   */
  'historyEntries': (_gsq_v1_HistoryEntry__Output)[];
}
