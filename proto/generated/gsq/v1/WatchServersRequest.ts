// Original file: gsq/v1/server.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface WatchServersRequest {
  /**
   * All groups together contain at most 1000 addresses.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * True: sends a change only if something changed that a person would see: status, players, map, name, maxplayers,
   * version or password. False: sends a change after every probe.
   */
  'onlyChanges'?: (boolean);
  /**
   * `resume_token` of the last response that the caller has received. The stream then goes on with the changes after
   * it, without a snapshot. If the core no longer knows these changes, the stream begins with a snapshot. Needs
   * `only_changes`. The servers must be the same as before: no snapshot is sent for others.
   */
  'resumeToken'?: (string);
}

export interface WatchServersRequest__Output {
  /**
   * All groups together contain at most 1000 addresses.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * True: sends a change only if something changed that a person would see: status, players, map, name, maxplayers,
   * version or password. False: sends a change after every probe.
   */
  'onlyChanges': (boolean);
  /**
   * `resume_token` of the last response that the caller has received. The stream then goes on with the changes after
   * it, without a snapshot. If the core no longer knows these changes, the stream begins with a snapshot. Needs
   * `only_changes`. The servers must be the same as before: no snapshot is sent for others.
   */
  'resumeToken': (string);
}
