// Original file: gsq/v1/probe.proto

import type { Welcome as _gsq_v1_Welcome, Welcome__Output as _gsq_v1_Welcome__Output } from '../../gsq/v1/Welcome.ts';
import type { Leases as _gsq_v1_Leases, Leases__Output as _gsq_v1_Leases__Output } from '../../gsq/v1/Leases.ts';
import type { ReportAck as _gsq_v1_ReportAck, ReportAck__Output as _gsq_v1_ReportAck__Output } from '../../gsq/v1/ReportAck.ts';

export interface SessionResponse {
  /**
   * The first message.
   */
  'welcome'?: (_gsq_v1_Welcome | null);
  'leases'?: (_gsq_v1_Leases | null);
  'ack'?: (_gsq_v1_ReportAck | null);
  'message'?: "welcome"|"leases"|"ack";
}

export interface SessionResponse__Output {
  /**
   * The first message.
   */
  'welcome'?: (_gsq_v1_Welcome__Output | null);
  'leases'?: (_gsq_v1_Leases__Output | null);
  'ack'?: (_gsq_v1_ReportAck__Output | null);
  'message'?: "welcome"|"leases"|"ack";
}
