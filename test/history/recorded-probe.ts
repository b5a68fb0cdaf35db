import type { Sample } from '../../core/history/sample.ts';
import type { Counts } from './patterns.ts';

/**
 * One probe of a server, with its exact values. When the history encodes the probe as a sample, it rounds the time and
 * the probe interval. It does not round the state and the counts.
 */
export interface RecordedProbe {
  readonly at: number;
  readonly state: Sample['state'];
  readonly counts: Counts | undefined;
  readonly intervalMs: number;
}

/** Maximum error of the stored time of a sample, in ms (docs/decisions/0024). */
const LATE_MS = 16_000;
/**
 * Minimum time between two stored samples with the same state, in ms (docs/decisions/0024). The encoding can drop
 * samples that come sooner.
 */
const APART_MS = 46_000;
const MINUTE_MS = 60_000;
const HOLD_MS = 90_000;

function isOf(sample: Sample, { at, state, counts, intervalMs }: RecordedProbe): boolean {
  const holdMs = Math.max(1, Math.ceil(intervalMs / MINUTE_MS)) * HOLD_MS;
  const isSame =
    sample.players === counts?.players &&
    sample.maxPlayers === counts?.maxPlayers &&
    sample.bots === (counts?.bots ?? 0);
  return state === sample.state && isSame && holdMs === sample.holdMs && Math.abs(sample.at - at) <= LATE_MS;
}

/**
 * True if the history may leave out the sample of this probe, because the probe came too soon after `before`. `before`:
 * the last sample that the history stored, if any.
 */
function mayDrop({ at, state }: RecordedProbe, before: Sample | undefined): boolean {
  if (!before) return false;
  return at <= before.at || (state === before.state && at - before.at < APART_MS);
}

/**
 * Compares the decoded samples of an hour with all probes of this hour. Returns a description of the first difference
 * that docs/decisions/0024 does not allow.
 */
export function codingFault(
  probes: readonly RecordedProbe[],
  decoded: readonly Sample[],
): string | undefined {
  let at = 0;
  for (const [i, sample] of decoded.entries()) {
    for (let probe = probes[at]; probe && !isOf(sample, probe); probe = probes[++at])
      if (!mayDrop(probe, decoded[i - 1])) return `dropped ${JSON.stringify(probe)}`;
    if (at === probes.length) return `invented ${JSON.stringify(sample)}`;
    at++;
  }
  const rest = probes.slice(at).find(probe => !mayDrop(probe, decoded.at(-1)));
  return rest && `dropped ${JSON.stringify(rest)} after ${JSON.stringify(decoded.at(-1))}`;
}
