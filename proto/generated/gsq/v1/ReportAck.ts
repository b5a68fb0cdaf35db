// Original file: gsq/v1/probe.proto

import type { Long } from '@grpc/proto-loader';

export interface ReportAck {
  /**
   * Number of the last report message that the core has recorded. All earlier messages are recorded too.
   */
  'seq'?: (number | string | Long);
}

export interface ReportAck__Output {
  /**
   * Number of the last report message that the core has recorded. All earlier messages are recorded too.
   */
  'seq': (number);
}
