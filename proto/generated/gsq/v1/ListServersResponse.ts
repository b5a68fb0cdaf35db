// Original file: gsq/v1/admin.proto

import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';
import type { ServerAccess as _gsq_v1_ServerAccess, ServerAccess__Output as _gsq_v1_ServerAccess__Output } from '../../gsq/v1/ServerAccess.ts';

export interface ListServersResponse {
  'servers'?: (_gsq_v1_ServerResult)[];
  /**
   * Empty at the end.
   */
  'nextPageToken'?: (string);
  /**
   * Of those of the page that are asked with more than their address, in the same order.
   */
  'access'?: (_gsq_v1_ServerAccess)[];
}

export interface ListServersResponse__Output {
  'servers': (_gsq_v1_ServerResult__Output)[];
  /**
   * Empty at the end.
   */
  'nextPageToken': (string);
  /**
   * Of those of the page that are asked with more than their address, in the same order.
   */
  'access': (_gsq_v1_ServerAccess__Output)[];
}
