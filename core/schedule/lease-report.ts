import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { ProbeSignals__Output } from '../../proto/generated/gsq/v1/ProbeSignals.ts';
import type { Reason } from '../servers/server-record.ts';

/** Report of a prober about the probe of one server. */
export interface LeaseReport {
  leaseId: number;
  outcome: ProbeOutcome;
  /** Data that the server sent in its answer. Present only if the outcome is PROBE_OUTCOME_ONLINE. */
  payload: ReportedPayload | null;
  /** Port of the server from which the reply to the probe came; 0 if no reply came. */
  queryPort: number;
  /** Counts of the packets that the probe sent and lost. Absent if the prober does not report them. */
  signals?: ProbeSignals__Output | null;
  /**
   * Minimum delay of the next probe, ms. Used for the outcomes PROBE_OUTCOME_HELD_BACK, PROBE_OUTCOME_PACED and
   * PROBE_OUTCOME_DIRECTORY_UNAVAILABLE.
   */
  retryAfterMs?: number;
}

/**
 * Keys: outcomes of probes that got no valid reply from the server. Values: the reason that the answer to a fetch shows
 * for such a server.
 */
export const SILENT_REASONS: ReadonlyMap<ProbeOutcome, Reason> = new Map([
  ['PROBE_OUTCOME_NO_REPLY', 'no_reply'],
  ['PROBE_OUTCOME_REFUSED', 'refused'],
  ['PROBE_OUTCOME_MALFORMED', 'malformed'],
  ['PROBE_OUTCOME_NOT_LISTED', 'not_listed'],
]);

/**
 * Keys: outcomes of probes that could not query the server. Values: the reason that the answer to a fetch shows for
 * such a server.
 */
export const UNKNOWABLE_REASONS: ReadonlyMap<ProbeOutcome, Reason> = new Map([
  ['PROBE_OUTCOME_UNRESOLVABLE', 'unresolvable_host'],
  ['PROBE_OUTCOME_BLOCKED', 'blocked_address'],
  ['PROBE_OUTCOME_NEEDS_CREDENTIALS', 'needs_credentials'],
  ['PROBE_OUTCOME_NEEDS_OPTION', 'needs_option'],
  ['PROBE_OUTCOME_DIRECTORY_UNAVAILABLE', 'directory_unavailable'],
  ['PROBE_OUTCOME_DIRECTORY_REFUSED', 'directory_refused'],
  ['PROBE_OUTCOME_PACED', 'paced'],
]);
