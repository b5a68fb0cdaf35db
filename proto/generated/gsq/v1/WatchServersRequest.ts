// Original file: gsq/v1/server.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface WatchServersRequest {
  /**
   * The servers to watch, grouped by game. All groups together contain at most 1000 addresses.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * If true, a change is sent only when a person would see a difference: in status, players, map, name, maxplayers,
   * version or password. If false, a change is sent after every probe.
   */
  'onlyChanges'?: (boolean);
  /**
   * `resume_token` of the last response that the caller has received. The stream then continues with the changes after
   * this response, without a snapshot. If the core no longer knows these changes, the stream begins with a snapshot.
   * This field needs `only_changes`. The request must name the same servers as before, because no snapshot is sent for
   * other servers.
   */
  'resumeToken'?: (string);
}

export interface WatchServersRequest__Output {
  /**
   * The servers to watch, grouped by game. All groups together contain at most 1000 addresses.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * If true, a change is sent only when a person would see a difference: in status, players, map, name, maxplayers,
   * version or password. If false, a change is sent after every probe.
   */
  'onlyChanges': (boolean);
  /**
   * `resume_token` of the last response that the caller has received. The stream then continues with the changes after
   * this response, without a snapshot. If the core no longer knows these changes, the stream begins with a snapshot.
   * This field needs `only_changes`. The request must name the same servers as before, because no snapshot is sent for
   * other servers.
   */
  'resumeToken': (string);
}
