// Original file: gsq/v1/cluster.proto

import type { PartCall as _gsq_v1_PartCall, PartCall__Output as _gsq_v1_PartCall__Output } from '../../gsq/v1/PartCall.ts';

export interface FetchPartsRequest {
  'calls'?: (_gsq_v1_PartCall)[];
}

export interface FetchPartsRequest__Output {
  'calls': (_gsq_v1_PartCall__Output)[];
}
