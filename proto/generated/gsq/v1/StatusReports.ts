// Original file: gsq/v1/probe.proto

import type { StatusReport as _gsq_v1_StatusReport, StatusReport__Output as _gsq_v1_StatusReport__Output } from '../../gsq/v1/StatusReport.ts';
import type { Long } from '@grpc/proto-loader';

export interface StatusReports {
  /**
   * Grows by one with each message of a session, from 1 on; acknowledged by ReportAck. What was sent and not
   * acknowledged is sent again under its number where a session goes on with another stream.
   */
  'seq'?: (number | string | Long);
  'reports'?: (_gsq_v1_StatusReport)[];
}

export interface StatusReports__Output {
  /**
   * Grows by one with each message of a session, from 1 on; acknowledged by ReportAck. What was sent and not
   * acknowledged is sent again under its number where a session goes on with another stream.
   */
  'seq': (number);
  'reports': (_gsq_v1_StatusReport__Output)[];
}
