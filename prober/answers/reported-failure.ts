import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { Failure } from './answer.ts';
import { withoutSecret } from './redact.ts';

/**
 * Maps a failed answer to the outcome that is reported. Later entries say more: of several ports' failures
 * the last one in this list is reported.
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
  // Ranks highest: a port that the prober could not ask may well be online.
  fault: 'PROBE_OUTCOME_PROBER_FAULT',
} as const satisfies Record<Failure['kind'], ProbeOutcome>;

const ORDER = Object.keys(OUTCOMES);

/** The outcomes of probes that found no status. */
export type ProbeFailure = (typeof OUTCOMES)[Failure['kind']];

/** The part of a probe report that describes a failure. */
export interface FailedFinding {
  outcome: ProbeFailure;
  detail: string;
  /** Milliseconds until asking again can help; absent if nobody gave a time. */
  retryAfterMs?: number;
}

/** Returns whichever of two failures says more about the server; the earlier one on a tie. */
export function moreTelling(earlier: Failure | undefined, later: Failure): Failure {
  return earlier && ORDER.indexOf(earlier.kind) >= ORDER.indexOf(later.kind) ? earlier : later;
}

/** Longest reported detail, in UTF-16 units: servers choose its words, and some send 250 KB. */
const MAX_DETAIL = 200;

/**
 * Turns a failed answer into a report. Removes the server's secret, which servers and libraries repeat in
 * their error messages.
 */
export function reportedFailure(failure: Failure, secret = ''): FailedFinding {
  const detail = withoutSecret(failure.detail, secret).slice(0, MAX_DETAIL).toWellFormed();
  const finding: FailedFinding = { outcome: OUTCOMES[failure.kind], detail };
  if ('retryAfterMs' in failure && failure.retryAfterMs !== undefined) {
    finding.retryAfterMs = Math.ceil(failure.retryAfterMs);
  }
  return finding;
}
