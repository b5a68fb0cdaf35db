// Original file: gsq/v1/cluster.proto

import type { SearchScope as _gsq_v1_SearchScope, SearchScope__Output as _gsq_v1_SearchScope__Output } from '../../gsq/v1/SearchScope.ts';

export interface CountPartRequest {
  'gameId'?: (string);
  'scope'?: (_gsq_v1_SearchScope | null);
}

export interface CountPartRequest__Output {
  'gameId': (string);
  'scope': (_gsq_v1_SearchScope__Output | null);
}
