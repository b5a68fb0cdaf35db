// Original file: gsq/v1/probe.proto

import type { ProbeOutcome as _gsq_v1_ProbeOutcome, ProbeOutcome__Output as _gsq_v1_ProbeOutcome__Output } from '../../gsq/v1/ProbeOutcome.ts';
import type { ServerPayload as _gsq_v1_ServerPayload, ServerPayload__Output as _gsq_v1_ServerPayload__Output } from '../../gsq/v1/ServerPayload.ts';
import type { ProbeSignals as _gsq_v1_ProbeSignals, ProbeSignals__Output as _gsq_v1_ProbeSignals__Output } from '../../gsq/v1/ProbeSignals.ts';
import type { Long } from '@grpc/proto-loader';

export interface StatusReport {
  'leaseId'?: (number | string | Long);
  'outcome'?: (_gsq_v1_ProbeOutcome);
  /**
   * Description of the error, for people; empty if there was no error.
   */
  'detail'?: (string);
  /**
   * Query port that answered.
   */
  'queryPort'?: (number);
  /**
   * Set only if the outcome is PROBE_OUTCOME_ONLINE. The prober can omit `updated` and `connect`.
   */
  'payload'?: (_gsq_v1_ServerPayload | null);
  /**
   * Number of milliseconds after which a new probe makes sense; 0 if it is not known. Always set if the outcome is
   * PROBE_OUTCOME_HELD_BACK.
   */
  'retryAfterMs'?: (number);
  'signals'?: (_gsq_v1_ProbeSignals | null);
}

export interface StatusReport__Output {
  'leaseId': (number);
  'outcome': (_gsq_v1_ProbeOutcome__Output);
  /**
   * Description of the error, for people; empty if there was no error.
   */
  'detail': (string);
  /**
   * Query port that answered.
   */
  'queryPort': (number);
  /**
   * Set only if the outcome is PROBE_OUTCOME_ONLINE. The prober can omit `updated` and `connect`.
   */
  'payload': (_gsq_v1_ServerPayload__Output | null);
  /**
   * Number of milliseconds after which a new probe makes sense; 0 if it is not known. Always set if the outcome is
   * PROBE_OUTCOME_HELD_BACK.
   */
  'retryAfterMs': (number);
  'signals': (_gsq_v1_ProbeSignals__Output | null);
}
