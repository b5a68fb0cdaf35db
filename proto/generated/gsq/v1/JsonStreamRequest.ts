// Original file: gsq/v1/cluster.proto

import type { JsonCall as _gsq_v1_JsonCall, JsonCall__Output as _gsq_v1_JsonCall__Output } from '../../gsq/v1/JsonCall.ts';

export interface JsonStreamRequest {
  'calls'?: (_gsq_v1_JsonCall)[];
  /**
   * Ids of calls whose replies are no longer wanted. They get no reply.
   */
  'cancelled'?: (number)[];
}

export interface JsonStreamRequest__Output {
  'calls': (_gsq_v1_JsonCall__Output)[];
  /**
   * Ids of calls whose replies are no longer wanted. They get no reply.
   */
  'cancelled': (number)[];
}
