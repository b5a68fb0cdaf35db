// Original file: gsq/v1/server.proto

import type { FetchReply as _gsq_v1_FetchReply, FetchReply__Output as _gsq_v1_FetchReply__Output } from '../../gsq/v1/FetchReply.ts';

export interface FetchStreamResponse {
  'replies'?: (_gsq_v1_FetchReply)[];
}

export interface FetchStreamResponse__Output {
  'replies': (_gsq_v1_FetchReply__Output)[];
}
