// Original file: gsq/v1/history.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { Trend as _gsq_v1_Trend, Trend__Output as _gsq_v1_Trend__Output } from '../../gsq/v1/Trend.ts';

export interface GetTrendsResponse {
  'stepSeconds'?: (number);
  /**
   * Begin of the first time step. The time steps divide the last 24 hours. The last one is not over yet.
   */
  'from'?: (_google_protobuf_Timestamp | null);
  /**
   * The numbers of players of each server, in the order in which the request names the servers.
   */
  'trends'?: (_gsq_v1_Trend)[];
}

export interface GetTrendsResponse__Output {
  'stepSeconds': (number);
  /**
   * Begin of the first time step. The time steps divide the last 24 hours. The last one is not over yet.
   */
  'from': (_google_protobuf_Timestamp__Output | null);
  /**
   * The numbers of players of each server, in the order in which the request names the servers.
   */
  'trends': (_gsq_v1_Trend__Output)[];
}
