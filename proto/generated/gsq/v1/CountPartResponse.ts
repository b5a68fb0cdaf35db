// Original file: gsq/v1/cluster.proto

import type { GameSummary as _gsq_v1_GameSummary, GameSummary__Output as _gsq_v1_GameSummary__Output } from '../../gsq/v1/GameSummary.ts';

export interface CountPartResponse {
  'games'?: (_gsq_v1_GameSummary)[];
  /**
   * As in SearchPartResponse.
   */
  'buckets'?: (Buffer | Uint8Array | string);
}

export interface CountPartResponse__Output {
  'games': (_gsq_v1_GameSummary__Output)[];
  /**
   * As in SearchPartResponse.
   */
  'buckets': (Buffer);
}
