// Original file: gsq/v1/cluster.proto

import type { Long } from '@grpc/proto-loader';

/**
 * A server went offline or came back.
 */
export interface IncidentEventPart {
  'atMs'?: (number | string | Long);
  /**
   * Why the server went offline; empty if it came back.
   */
  'reason'?: (string);
}

/**
 * A server went offline or came back.
 */
export interface IncidentEventPart__Output {
  'atMs': (number);
  /**
   * Why the server went offline; empty if it came back.
   */
  'reason': (string);
}
