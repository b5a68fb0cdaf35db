import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { ProbeSignals__Output } from '../../proto/generated/gsq/v1/ProbeSignals.ts';
import type { Reason } from '../servers/server-record.ts';

/** A prober's report on one leased server. */
export interface LeaseReport {
  leaseId: number;
  outcome: ProbeOutcome;
  /** Set with PROBE_OUTCOME_ONLINE. */
  payload: ReportedPayload | null;
  /** The port that answered; 0 if none did. */
  queryPort: number;
  /** How the network treated the probe, if the prober says so. */
  signals?: ProbeSignals__Output | null;
  /** With PROBE_OUTCOME_HELD_BACK, _PACED and _DIRECTORY_UNAVAILABLE: when to try again, in ms from now. */
  retryAfterMs?: number;
}

/** Reasons of the outcomes in which the server was asked and gave no valid reply. */
export const SILENT_REASONS: ReadonlyMap<ProbeOutcome, Reason> = new Map([
  ['PROBE_OUTCOME_NO_REPLY', 'no_reply'],
  ['PROBE_OUTCOME_REFUSED', 'refused'],
  ['PROBE_OUTCOME_MALFORMED', 'malformed'],
  ['PROBE_OUTCOME_NOT_LISTED', 'not_listed'],
]);

/** Reasons of the outcomes in which the server could not be asked. */
export const UNKNOWABLE_REASONS: ReadonlyMap<ProbeOutcome, Reason> = new Map([
  ['PROBE_OUTCOME_UNRESOLVABLE', 'unresolvable_host'],
  ['PROBE_OUTCOME_BLOCKED', 'blocked_address'],
  ['PROBE_OUTCOME_NEEDS_CREDENTIALS', 'needs_credentials'],
  ['PROBE_OUTCOME_NEEDS_OPTION', 'needs_option'],
  ['PROBE_OUTCOME_DIRECTORY_UNAVAILABLE', 'directory_unavailable'],
  ['PROBE_OUTCOME_DIRECTORY_REFUSED', 'directory_refused'],
  ['PROBE_OUTCOME_PACED', 'paced'],
]);
