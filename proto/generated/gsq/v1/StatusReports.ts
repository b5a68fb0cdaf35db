// Original file: gsq/v1/probe.proto

import type { StatusReport as _gsq_v1_StatusReport, StatusReport__Output as _gsq_v1_StatusReport__Output } from '../../gsq/v1/StatusReport.ts';
import type { Long } from '@grpc/proto-loader';

export interface StatusReports {
  /**
   * Number of this message in the session: 1 for the first message, then one more for each message. ReportAck
   * acknowledges it. If a session continues on a new stream, the prober repeats all messages that were not
   * acknowledged, with their old numbers.
   */
  'seq'?: (number | string | Long);
  'reports'?: (_gsq_v1_StatusReport)[];
}

export interface StatusReports__Output {
  /**
   * Number of this message in the session: 1 for the first message, then one more for each message. ReportAck
   * acknowledges it. If a session continues on a new stream, the prober repeats all messages that were not
   * acknowledged, with their old numbers.
   */
  'seq': (number);
  'reports': (_gsq_v1_StatusReport__Output)[];
}
