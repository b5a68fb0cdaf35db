// Original file: gsq/v1/server.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface WatchServersRequest {
  /**
   * All groups together contain at most 1000 addresses.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
}

export interface WatchServersRequest__Output {
  /**
   * All groups together contain at most 1000 addresses.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
}
