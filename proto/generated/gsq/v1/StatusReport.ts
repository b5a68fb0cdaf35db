// Original file: gsq/v1/probe.proto

import type { ProbeOutcome as _gsq_v1_ProbeOutcome, ProbeOutcome__Output as _gsq_v1_ProbeOutcome__Output } from '../../gsq/v1/ProbeOutcome.ts';
import type { ServerPayload as _gsq_v1_ServerPayload, ServerPayload__Output as _gsq_v1_ServerPayload__Output } from '../../gsq/v1/ServerPayload.ts';
import type { ProbeSignals as _gsq_v1_ProbeSignals, ProbeSignals__Output as _gsq_v1_ProbeSignals__Output } from '../../gsq/v1/ProbeSignals.ts';
import type { Long } from '@grpc/proto-loader';

export interface StatusReport {
  'leaseId'?: (number | string | Long);
  'outcome'?: (_gsq_v1_ProbeOutcome);
  /**
   * What went wrong, for people; empty where nothing did.
   */
  'detail'?: (string);
  /**
   * The port that answered.
   */
  'queryPort'?: (number);
  /**
   * With PROBE_OUTCOME_ONLINE only; `updated` and `connect` may be left to the core.
   */
  'payload'?: (_gsq_v1_ServerPayload | null);
  /**
   * When asking again makes sense, in milliseconds from now; 0 if that is not known. Always there with
   * PROBE_OUTCOME_HELD_BACK.
   */
  'retryAfterMs'?: (number);
  'signals'?: (_gsq_v1_ProbeSignals | null);
}

export interface StatusReport__Output {
  'leaseId': (number);
  'outcome': (_gsq_v1_ProbeOutcome__Output);
  /**
   * What went wrong, for people; empty where nothing did.
   */
  'detail': (string);
  /**
   * The port that answered.
   */
  'queryPort': (number);
  /**
   * With PROBE_OUTCOME_ONLINE only; `updated` and `connect` may be left to the core.
   */
  'payload': (_gsq_v1_ServerPayload__Output | null);
  /**
   * When asking again makes sense, in milliseconds from now; 0 if that is not known. Always there with
   * PROBE_OUTCOME_HELD_BACK.
   */
  'retryAfterMs': (number);
  'signals': (_gsq_v1_ProbeSignals__Output | null);
}
