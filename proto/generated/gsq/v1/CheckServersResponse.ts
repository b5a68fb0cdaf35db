// Original file: gsq/v1/admin.proto

import type { FetchMeta as _gsq_v1_FetchMeta, FetchMeta__Output as _gsq_v1_FetchMeta__Output } from '../../gsq/v1/FetchMeta.ts';

export interface CheckServersResponse {
  /**
   * What AddServers would answer. `inserted_servers` lists the servers that AddServers would insert. The check leaves
   * out whether the store accepts writes and has room for more servers.
   */
  'meta'?: (_gsq_v1_FetchMeta | null);
}

export interface CheckServersResponse__Output {
  /**
   * What AddServers would answer. `inserted_servers` lists the servers that AddServers would insert. The check leaves
   * out whether the store accepts writes and has room for more servers.
   */
  'meta': (_gsq_v1_FetchMeta__Output | null);
}
