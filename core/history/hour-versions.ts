import { appendSample, beginHour, samplesOf, sealedHour } from './hour-coding.ts';
import type { Sample } from './sample.ts';
import { HOUR_MS } from './units.ts';

/**
 * Maximum phase, ms. The history groups the samples of a server by hours that can begin at any minute. The phase is the
 * time from a full hour to the start of such an hour.
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
  // If both versions of the hour begin at the same time, the version that ends later usually contains all samples of
  // the other version. Therefore returns the version that ends later.
  if (first.at === begun.at) return (old.at(-1)?.at ?? 0) > (next.at(-1)?.at ?? 0) ? stored : sealed;
  // The clock was ahead and was later set back, so the same hour was recorded twice. The samples of both versions are
  // joined and sorted by time.
  return encoded({ hour, samples: [...old, ...next].sort((a, b) => a.at - b.at) });
}

/** Encodes the samples of one hour of a server. `samples` begins with the oldest sample. */
function encoded({ hour, samples }: { hour: number; samples: readonly Sample[] }): Buffer {
  const [first, ...others] = samples;
  if (!first) throw new RangeError('an hour has at least one sample');
  // The start of the server's hour is not known here, so the time of its first sample is used in its place. The end of
  // the hour can thus be too late, but never too early: an early end would drop samples.
  const phase = Math.min(first.at - hour, MOST_PHASE_MS);
  let open: Uint8Array = beginHour(first, phase);
  for (const sample of others) open = appendSample(open, sample, phase);
  const coded = sealedHour(open).samples;
  return Buffer.from(coded.buffer, coded.byteOffset, coded.length);
}
