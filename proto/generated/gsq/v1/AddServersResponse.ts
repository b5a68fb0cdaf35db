// Original file: gsq/v1/admin.proto

import type { FetchMeta as _gsq_v1_FetchMeta, FetchMeta__Output as _gsq_v1_FetchMeta__Output } from '../../gsq/v1/FetchMeta.ts';

export interface AddServersResponse {
  'meta'?: (_gsq_v1_FetchMeta | null);
}

export interface AddServersResponse__Output {
  'meta': (_gsq_v1_FetchMeta__Output | null);
}
