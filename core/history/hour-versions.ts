import { appendSample, beginHour, samplesOf, sealedHour } from './hour-coding.ts';
import type { Sample } from './sample.ts';
import { HOUR_MS } from './units.ts';

/**
 * Maximum phase, ms. The history divides the samples of a server into blocks of one hour, which need not begin at a
 * full hour. The phase is the time from the full hour to the start of the block.
 */
const MOST_PHASE_MS = HOUR_MS - 1_000;

/**
 * Joins two versions of the samples of one hour of a server, and returns the samples to store. `stored`: the version in
 * the history. `sealed`: the version from the server record.
 */
export function joinedHour(hour: number, stored: Buffer, sealed: Buffer): Buffer {
  if (stored.equals(sealed)) return stored;
  const [old, next] = [stored, sealed].map(samples => samplesOf({ hour, samples })) as [Sample[], Sample[]];
  const [first, begun] = [old[0], next[0]];
  // If one version of the hour is damaged (no sample can be decoded), returns the other version.
  if (!first || !begun) return first ? stored : sealed;
  // Two versions of an hour of samples exist: one in the history, one in the server record. If both begin at the same
  // time, returns the version that ends later, because it usually contains all samples of the other version.
  if (first.at === begun.at) return (old.at(-1)?.at ?? 0) > (next.at(-1)?.at ?? 0) ? stored : sealed;
  // The clock was ahead and was later set back, so samples of the same hour were recorded twice. The two versions begin
  // at different times. Joins the samples of both versions, sorted by time.
  return encoded({ hour, samples: [...old, ...next].sort((a, b) => a.at - b.at) });
}

/** Encodes the samples of one hour of a server. `samples` begins with the oldest sample. */
function encoded({ hour, samples }: { hour: number; samples: readonly Sample[] }): Buffer {
  const [first, ...others] = samples;
  if (!first) throw new RangeError('an hour has at least one sample');
  // The exact start of the hour is not known here, so the time of its first sample is used as the start. As a result,
  // the end of the hour can be too late, but never too early. An early end would drop samples.
  const phase = Math.min(first.at - hour, MOST_PHASE_MS);
  let open: Uint8Array = beginHour(first, phase);
  for (const sample of others) open = appendSample(open, sample, phase);
  const coded = sealedHour(open).samples;
  return Buffer.from(coded.buffer, coded.byteOffset, coded.length);
}
