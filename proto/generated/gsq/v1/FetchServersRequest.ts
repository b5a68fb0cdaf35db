// Original file: gsq/v1/server.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface FetchServersRequest {
  /**
   * The requested servers, grouped by game. All groups together contain at most 1000 addresses.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Maximum number of milliseconds to wait for the first probe of the servers that this request inserts, at most 5000;
   * 0 for no wait.
   */
  'waitMs'?: (number);
}

export interface FetchServersRequest__Output {
  /**
   * The requested servers, grouped by game. All groups together contain at most 1000 addresses.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Maximum number of milliseconds to wait for the first probe of the servers that this request inserts, at most 5000;
   * 0 for no wait.
   */
  'waitMs': (number);
}
