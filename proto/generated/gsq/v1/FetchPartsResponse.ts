// Original file: gsq/v1/cluster.proto

import type { PartReply as _gsq_v1_PartReply, PartReply__Output as _gsq_v1_PartReply__Output } from '../../gsq/v1/PartReply.ts';

export interface FetchPartsResponse {
  'replies'?: (_gsq_v1_PartReply)[];
}

export interface FetchPartsResponse__Output {
  'replies': (_gsq_v1_PartReply__Output)[];
}
