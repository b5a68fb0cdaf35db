import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { Failure } from './answer.ts';
import { withoutSecret } from './redact.ts';

/**
 * The outcome that the prober reports for each kind of failure. The keys are sorted by priority, lowest first. If
 * several ports of a server failed, the prober reports the failure with the highest priority.
 */
const OUTCOMES = {
  silent: 'PROBE_OUTCOME_NO_REPLY',
  refused: 'PROBE_OUTCOME_REFUSED',
  malformed: 'PROBE_OUTCOME_MALFORMED',
  'not-listed': 'PROBE_OUTCOME_NOT_LISTED',
  paced: 'PROBE_OUTCOME_PACED',
  'directory-unavailable': 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE',
  'directory-refused': 'PROBE_OUTCOME_DIRECTORY_REFUSED',
  'needs-option': 'PROBE_OUTCOME_NEEDS_OPTION',
  'needs-credentials': 'PROBE_OUTCOME_NEEDS_CREDENTIALS',
  // The kind `fault` means that the prober itself failed to query a port, so the server may be online. `fault` has the
  // highest priority, so that the server does not count as offline because of another failure.
  fault: 'PROBE_OUTCOME_PROBER_FAULT',
} as const satisfies Record<Failure['kind'], ProbeOutcome>;

const ORDER = Object.keys(OUTCOMES);

/** Outcomes of probes that did not get the status of the server. */
export type ProbeFailure = (typeof OUTCOMES)[Failure['kind']];

/** Result of a failed probe, in the form that the prober reports to the core. */
export interface FailedFinding {
  outcome: ProbeFailure;
  detail: string;
  /**
   * Time to wait before the next probe of the server, milliseconds. A probe before this time would have the same
   * `outcome`. Absent if the time is unknown.
   */
  retryAfterMs?: number;
}

/**
 * Of two failures in one probe, returns the one with the higher priority (see `OUTCOMES`). If both have the same
 * priority, returns the earlier one.
 */
export function moreTelling(earlier: Failure | undefined, later: Failure): Failure {
  return earlier && ORDER.indexOf(earlier.kind) >= ORDER.indexOf(later.kind) ? earlier : later;
}

/**
 * Maximum length of the reported detail of a failed probe, in UTF-16 units. The detail can come from a game server, and
 * some servers send 250 KB.
 */
const MAX_DETAIL = 200;

/**
 * Converts the failure of a probe to the form in which the prober reports it to the core. Removes the secret of the
 * server from the text `detail`, because servers and libraries repeat the secret in their error messages.
 */
export function reportedFailure(failure: Failure, secret = ''): FailedFinding {
  const detail = withoutSecret(failure.detail, secret).slice(0, MAX_DETAIL).toWellFormed();
  const finding: FailedFinding = { outcome: OUTCOMES[failure.kind], detail };
  if ('retryAfterMs' in failure && failure.retryAfterMs !== undefined) {
    finding.retryAfterMs = Math.ceil(failure.retryAfterMs);
  }
  return finding;
}
