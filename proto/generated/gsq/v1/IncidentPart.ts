// Original file: gsq/v1/cluster.proto

import type { Long } from '@grpc/proto-loader';

export interface IncidentPart {
  'startedMs'?: (number | string | Long);
  /**
   * Absent while the server is offline.
   */
  'endedMs'?: (number | string | Long);
  'reason'?: (string);
  '_endedMs'?: "endedMs";
}

export interface IncidentPart__Output {
  'startedMs': (number);
  /**
   * Absent while the server is offline.
   */
  'endedMs'?: (number);
  'reason': (string);
  '_endedMs'?: "endedMs";
}
