// Original file: gsq/v1/server.proto

import type { FetchCall as _gsq_v1_FetchCall, FetchCall__Output as _gsq_v1_FetchCall__Output } from '../../gsq/v1/FetchCall.ts';

/**
 * Contains all calls that the sender collected in one turn of its event loop.
 */
export interface FetchStreamRequest {
  'calls'?: (_gsq_v1_FetchCall)[];
}

/**
 * Contains all calls that the sender collected in one turn of its event loop.
 */
export interface FetchStreamRequest__Output {
  'calls': (_gsq_v1_FetchCall__Output)[];
}
