// Original file: gsq/v1/cluster.proto

import type { ServerAction as _gsq_v1_ServerAction, ServerAction__Output as _gsq_v1_ServerAction__Output } from '../../gsq/v1/ServerAction.ts';
import type { AccessChange as _gsq_v1_AccessChange, AccessChange__Output as _gsq_v1_AccessChange__Output } from '../../gsq/v1/AccessChange.ts';

export interface ChangeServersRequest {
  'action'?: (_gsq_v1_ServerAction);
  /**
   * Game id, a space and the canonical address of each server.
   */
  'keys'?: (string)[];
  /**
   * For SERVER_ACTION_ACCESS.
   */
  'access'?: (_gsq_v1_AccessChange | null);
}

export interface ChangeServersRequest__Output {
  'action': (_gsq_v1_ServerAction__Output);
  /**
   * Game id, a space and the canonical address of each server.
   */
  'keys': (string)[];
  /**
   * For SERVER_ACTION_ACCESS.
   */
  'access': (_gsq_v1_AccessChange__Output | null);
}
