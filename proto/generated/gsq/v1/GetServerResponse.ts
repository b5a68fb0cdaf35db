// Original file: gsq/v1/server.proto

import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';

export interface GetServerResponse {
  'server'?: (_gsq_v1_ServerResult | null);
}

export interface GetServerResponse__Output {
  'server': (_gsq_v1_ServerResult__Output | null);
}
