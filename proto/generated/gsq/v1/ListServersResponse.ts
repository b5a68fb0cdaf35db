// Original file: gsq/v1/admin.proto

import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';

export interface ListServersResponse {
  'servers'?: (_gsq_v1_ServerResult)[];
  /**
   * Empty at the end.
   */
  'nextPageToken'?: (string);
}

export interface ListServersResponse__Output {
  'servers': (_gsq_v1_ServerResult__Output)[];
  /**
   * Empty at the end.
   */
  'nextPageToken': (string);
}
