// Original file: gsq/v1/probe.proto

import type { Long } from '@grpc/proto-loader';

export interface ReportAck {
  /**
   * Every report message up to this one is recorded.
   */
  'seq'?: (number | string | Long);
}

export interface ReportAck__Output {
  /**
   * Every report message up to this one is recorded.
   */
  'seq': (number);
}
