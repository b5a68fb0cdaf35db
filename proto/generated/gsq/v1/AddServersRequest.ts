// Original file: gsq/v1/admin.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';
import type { AccessChange as _gsq_v1_AccessChange, AccessChange__Output as _gsq_v1_AccessChange__Output } from '../../gsq/v1/AccessChange.ts';

export interface AddServersRequest {
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Change of the secret and options of each server, including servers that are tracked already. If absent, nothing
   * changes.
   */
  'access'?: (_gsq_v1_AccessChange | null);
}

export interface AddServersRequest__Output {
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Change of the secret and options of each server, including servers that are tracked already. If absent, nothing
   * changes.
   */
  'access': (_gsq_v1_AccessChange__Output | null);
}
