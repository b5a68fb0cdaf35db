// Original file: gsq/v1/probe.proto

import type { Hello as _gsq_v1_Hello, Hello__Output as _gsq_v1_Hello__Output } from '../../gsq/v1/Hello.ts';
import type { StatusReports as _gsq_v1_StatusReports, StatusReports__Output as _gsq_v1_StatusReports__Output } from '../../gsq/v1/StatusReports.ts';

export interface SessionRequest {
  /**
   * The first message.
   */
  'hello'?: (_gsq_v1_Hello | null);
  'reports'?: (_gsq_v1_StatusReports | null);
  'message'?: "hello"|"reports";
}

export interface SessionRequest__Output {
  /**
   * The first message.
   */
  'hello'?: (_gsq_v1_Hello__Output | null);
  'reports'?: (_gsq_v1_StatusReports__Output | null);
  'message'?: "hello"|"reports";
}
