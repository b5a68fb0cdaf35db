// Original file: gsq/v1/cluster.proto

import type { JsonReply as _gsq_v1_JsonReply, JsonReply__Output as _gsq_v1_JsonReply__Output } from '../../gsq/v1/JsonReply.ts';

export interface JsonStreamResponse {
  'replies'?: (_gsq_v1_JsonReply)[];
}

export interface JsonStreamResponse__Output {
  'replies': (_gsq_v1_JsonReply__Output)[];
}
