// Original file: gsq/v1/server.proto

import type { FetchServersResponse as _gsq_v1_FetchServersResponse, FetchServersResponse__Output as _gsq_v1_FetchServersResponse__Output } from '../../gsq/v1/FetchServersResponse.ts';
import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';
import type { Heartbeat as _gsq_v1_Heartbeat, Heartbeat__Output as _gsq_v1_Heartbeat__Output } from '../../gsq/v1/Heartbeat.ts';

export interface WatchServersResponse {
  /**
   * State of all watched servers. Sent as the first message, unless the stream continues after a resume token.
   */
  'snapshot'?: (_gsq_v1_FetchServersResponse | null);
  /**
   * Every later message: the newest state of one server.
   */
  'change'?: (_gsq_v1_ServerResult | null);
  /**
   * Position after this message, from which a later stream can continue. Set if the request has `only_changes`.
   */
  'resumeToken'?: (string);
  /**
   * Sent every 15 seconds if the request has `only_changes`. The message then contains only the resume token.
   */
  'heartbeat'?: (_gsq_v1_Heartbeat | null);
  'event'?: "snapshot"|"change"|"heartbeat";
}

export interface WatchServersResponse__Output {
  /**
   * State of all watched servers. Sent as the first message, unless the stream continues after a resume token.
   */
  'snapshot'?: (_gsq_v1_FetchServersResponse__Output | null);
  /**
   * Every later message: the newest state of one server.
   */
  'change'?: (_gsq_v1_ServerResult__Output | null);
  /**
   * Position after this message, from which a later stream can continue. Set if the request has `only_changes`.
   */
  'resumeToken': (string);
  /**
   * Sent every 15 seconds if the request has `only_changes`. The message then contains only the resume token.
   */
  'heartbeat'?: (_gsq_v1_Heartbeat__Output | null);
  'event'?: "snapshot"|"change"|"heartbeat";
}
