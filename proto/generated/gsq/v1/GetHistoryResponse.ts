// Original file: gsq/v1/history.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { HistorySample as _gsq_v1_HistorySample, HistorySample__Output as _gsq_v1_HistorySample__Output } from '../../gsq/v1/HistorySample.ts';

export interface GetHistoryResponse {
  'gameId'?: (string);
  'server'?: (string);
  'stepSeconds'?: (number);
  /**
   * Time at which the history in this answer begins. Each step of the history is `step_seconds` long.
   */
  'from'?: (_google_protobuf_Timestamp | null);
  /**
   * Time at which the history in this answer ends.
   */
  'to'?: (_google_protobuf_Timestamp | null);
  /**
   * The players and the uptime in each time step, the oldest step first.
   */
  'samples'?: (_gsq_v1_HistorySample)[];
}

export interface GetHistoryResponse__Output {
  'gameId': (string);
  'server': (string);
  'stepSeconds': (number);
  /**
   * Time at which the history in this answer begins. Each step of the history is `step_seconds` long.
   */
  'from': (_google_protobuf_Timestamp__Output | null);
  /**
   * Time at which the history in this answer ends.
   */
  'to': (_google_protobuf_Timestamp__Output | null);
  /**
   * The players and the uptime in each time step, the oldest step first.
   */
  'samples': (_gsq_v1_HistorySample__Output)[];
}
