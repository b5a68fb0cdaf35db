// Original file: gsq/v1/server.proto

import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';

export interface ServerServiceListServersResponse {
  'servers'?: (_gsq_v1_ServerResult)[];
  /**
   * `page_token` of the next page; empty if this is the last page.
   */
  'nextPageToken'?: (string);
  /**
   * Number of servers that match, in all pages together.
   */
  'totalSize'?: (number);
}

export interface ServerServiceListServersResponse__Output {
  'servers': (_gsq_v1_ServerResult__Output)[];
  /**
   * `page_token` of the next page; empty if this is the last page.
   */
  'nextPageToken': (string);
  /**
   * Number of servers that match, in all pages together.
   */
  'totalSize': (number);
}
