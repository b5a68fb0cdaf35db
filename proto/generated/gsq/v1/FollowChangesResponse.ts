// Original file: gsq/v1/cluster.proto

import type { ServerChange as _gsq_v1_ServerChange, ServerChange__Output as _gsq_v1_ServerChange__Output } from '../../gsq/v1/ServerChange.ts';

export interface FollowChangesResponse {
  /**
   * The changes in their order. The first message is empty: the called core sends all changes from then on.
   */
  'changes'?: (_gsq_v1_ServerChange)[];
}

export interface FollowChangesResponse__Output {
  /**
   * The changes in their order. The first message is empty: the called core sends all changes from then on.
   */
  'changes': (_gsq_v1_ServerChange__Output)[];
}
