// Original file: gsq/v1/server.proto

import type { FetchServersResponse as _gsq_v1_FetchServersResponse, FetchServersResponse__Output as _gsq_v1_FetchServersResponse__Output } from '../../gsq/v1/FetchServersResponse.ts';
import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';

export interface WatchServersResponse {
  /**
   * The first message.
   */
  'snapshot'?: (_gsq_v1_FetchServersResponse | null);
  /**
   * Every later message: the newest state of one server.
   */
  'change'?: (_gsq_v1_ServerResult | null);
  'event'?: "snapshot"|"change";
}

export interface WatchServersResponse__Output {
  /**
   * The first message.
   */
  'snapshot'?: (_gsq_v1_FetchServersResponse__Output | null);
  /**
   * Every later message: the newest state of one server.
   */
  'change'?: (_gsq_v1_ServerResult__Output | null);
  'event'?: "snapshot"|"change";
}
