// Original file: gsq/v1/server.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface WatchServersRequest {
  /**
   * At most 1000 addresses, all groups together.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
}

export interface WatchServersRequest__Output {
  /**
   * At most 1000 addresses, all groups together.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
}
