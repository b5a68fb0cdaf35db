// Original file: gsq/v1/admin.proto

import type { ServerRef as _gsq_v1_ServerRef, ServerRef__Output as _gsq_v1_ServerRef__Output } from '../../gsq/v1/ServerRef.ts';

export interface ListPubliclyResponse {
  /**
   * The servers of the request that are tracked.
   */
  'tracked'?: (_gsq_v1_ServerRef)[];
}

export interface ListPubliclyResponse__Output {
  /**
   * The servers of the request that are tracked.
   */
  'tracked': (_gsq_v1_ServerRef__Output)[];
}
