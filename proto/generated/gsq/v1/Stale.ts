// Original file: gsq/v1/server.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface Stale {
  /**
   * `offline`, `probe_delayed` or `unknowable`.
   */
  'reason'?: (string);
  'ageSeconds'?: (number);
  'thresholdSeconds'?: (number);
  'lastSuccessAt'?: (_google_protobuf_Timestamp | null);
}

export interface Stale__Output {
  /**
   * `offline`, `probe_delayed` or `unknowable`.
   */
  'reason': (string);
  'ageSeconds': (number);
  'thresholdSeconds': (number);
  'lastSuccessAt': (_google_protobuf_Timestamp__Output | null);
}
