// Original file: gsq/v1/admin.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface ListPubliclyRequest {
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * True to list the servers, false to end this.
   */
  'isPublic'?: (boolean);
}

export interface ListPubliclyRequest__Output {
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * True to list the servers, false to end this.
   */
  'isPublic': (boolean);
}
