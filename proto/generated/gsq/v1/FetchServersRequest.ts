// Original file: gsq/v1/server.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface FetchServersRequest {
  /**
   * At most 1000 addresses, all groups together.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Waits up to this long (at most 5000) for the first probe of the servers this request inserts. 0 does not wait.
   */
  'waitMs'?: (number);
}

export interface FetchServersRequest__Output {
  /**
   * At most 1000 addresses, all groups together.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Waits up to this long (at most 5000) for the first probe of the servers this request inserts. 0 does not wait.
   */
  'waitMs': (number);
}
