// Original file: gsq/v1/server.proto

import type { FetchCall as _gsq_v1_FetchCall, FetchCall__Output as _gsq_v1_FetchCall__Output } from '../../gsq/v1/FetchCall.ts';

/**
 * Calls gathered within one turn of the sender travel in one message.
 */
export interface FetchStreamRequest {
  'calls'?: (_gsq_v1_FetchCall)[];
}

/**
 * Calls gathered within one turn of the sender travel in one message.
 */
export interface FetchStreamRequest__Output {
  'calls': (_gsq_v1_FetchCall__Output)[];
}
