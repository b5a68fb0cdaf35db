// Original file: gsq/v1/server.proto

import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';
import type { FetchMeta as _gsq_v1_FetchMeta, FetchMeta__Output as _gsq_v1_FetchMeta__Output } from '../../gsq/v1/FetchMeta.ts';

export interface FetchServersResponse {
  /**
   * One entry for each distinct (game_id, server) of the request, in its order.
   */
  'results'?: (_gsq_v1_ServerResult)[];
  'meta'?: (_gsq_v1_FetchMeta | null);
}

export interface FetchServersResponse__Output {
  /**
   * One entry for each distinct (game_id, server) of the request, in its order.
   */
  'results': (_gsq_v1_ServerResult__Output)[];
  'meta': (_gsq_v1_FetchMeta__Output | null);
}
