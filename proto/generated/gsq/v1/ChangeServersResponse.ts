// Original file: gsq/v1/cluster.proto

import type { ChangedServer as _gsq_v1_ChangedServer, ChangedServer__Output as _gsq_v1_ChangedServer__Output } from '../../gsq/v1/ChangedServer.ts';

export interface ChangeServersResponse {
  /**
   * One result for each server, in the same order.
   */
  'servers'?: (_gsq_v1_ChangedServer)[];
}

export interface ChangeServersResponse__Output {
  /**
   * One result for each server, in the same order.
   */
  'servers': (_gsq_v1_ChangedServer__Output)[];
}
