// Original file: gsq/v1/admin.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';
import type { AccessChange as _gsq_v1_AccessChange, AccessChange__Output as _gsq_v1_AccessChange__Output } from '../../gsq/v1/AccessChange.ts';

export interface AddServersRequest {
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Of each of the servers, those that are tracked already too; absent: all stays as it was.
   */
  'access'?: (_gsq_v1_AccessChange | null);
}

export interface AddServersRequest__Output {
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Of each of the servers, those that are tracked already too; absent: all stays as it was.
   */
  'access': (_gsq_v1_AccessChange__Output | null);
}
