import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { Failure } from './answer.ts';
import { withoutSecret } from './redact.ts';

/** A failed answer's outcome, in the order of how much it says: of several ports' failures the last one counts. */
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
  // A port we could not ask leaves all of it open.
  fault: 'PROBE_OUTCOME_PROBER_FAULT',
} as const satisfies Record<Failure['kind'], ProbeOutcome>;

const ORDER = Object.keys(OUTCOMES);

/** The outcomes of probes that found no status. */
export type ProbeFailure = (typeof OUTCOMES)[Failure['kind']];

/** What a probe reports of an answer without a status. */
export interface FailedFinding {
  outcome: ProbeFailure;
  detail: string;
  /** When asking again can make a difference, in ms from now; absent where nobody said. */
  retryAfterMs?: number;
}

/** Of two ports' failures the one that says more; the earlier one on a tie. */
export function moreTelling(earlier: Failure | undefined, later: Failure): Failure {
  return earlier && ORDER.indexOf(earlier.kind) >= ORDER.indexOf(later.kind) ? earlier : later;
}

/** The most of a detail that is reported, in UTF-16 units: servers choose its words, and some send 250 KB of them. */
const MAX_DETAIL = 200;

/** A failed answer as it is reported: without the secret, which servers and libraries repeat in what they say. */
export function reportedFailure(failure: Failure, secret = ''): FailedFinding {
  const detail = withoutSecret(failure.detail, secret).slice(0, MAX_DETAIL).toWellFormed();
  const finding: FailedFinding = { outcome: OUTCOMES[failure.kind], detail };
  if ('retryAfterMs' in failure && failure.retryAfterMs !== undefined) {
    finding.retryAfterMs = Math.ceil(failure.retryAfterMs);
  }
  return finding;
}
