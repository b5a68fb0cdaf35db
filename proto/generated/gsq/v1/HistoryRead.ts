// Original file: gsq/v1/cluster.proto

import type { HistoryPart as _gsq_v1_HistoryPart, HistoryPart__Output as _gsq_v1_HistoryPart__Output } from '../../gsq/v1/HistoryPart.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * One read of the history of a server.
 */
export interface HistoryRead {
  /**
   * Game id, a space and the canonical address.
   */
  'key'?: (string);
  'part'?: (_gsq_v1_HistoryPart);
  /**
   * Span of time in milliseconds since the Unix epoch. Incidents are read until `to_ms`, whatever `from_ms` is.
   */
  'fromMs'?: (number | string | Long);
  'toMs'?: (number | string | Long);
  /**
   * Maximum number of incidents.
   */
  'limit'?: (number);
}

/**
 * One read of the history of a server.
 */
export interface HistoryRead__Output {
  /**
   * Game id, a space and the canonical address.
   */
  'key': (string);
  'part': (_gsq_v1_HistoryPart__Output);
  /**
   * Span of time in milliseconds since the Unix epoch. Incidents are read until `to_ms`, whatever `from_ms` is.
   */
  'fromMs': (number);
  'toMs': (number);
  /**
   * Maximum number of incidents.
   */
  'limit': (number);
}
