// Original file: gsq/v1/admin.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface CheckServersRequest {
  'servers'?: (_gsq_v1_ServerGroup)[];
}

export interface CheckServersRequest__Output {
  'servers': (_gsq_v1_ServerGroup__Output)[];
}
