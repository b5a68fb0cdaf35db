import { processNames } from '../system/stack-settings.ts';
import type { ProcessSample, SoakSample } from './sampler.ts';
import { type Reduce, type Trend, trendOf } from './trend.ts';

/** Limits of a soak, as documented in docs/performance.md. */
export const LIMITS = {
  /** Most growth of total memory after the warm-up, as a share of its median. */
  memoryGrowth: 0.05,
  /**
   * Most growth of the live heap and of the memory outside the heap, as a share of the median. Both vary more
   * than total memory.
   */
  heapGrowth: 0.1,
  /** Smallest growth that is judged, in bytes: young objects alone make memory vary this much. */
  memoryNoiseBytes: 12 * 2 ** 20,
  descriptorGrowth: 3,
  eventLoopLagSeconds: 0.1,
  eventLoopLagGrowthSeconds: 0.02,
  scheduleLagSeconds: 1,
  scheduleLagGrowthSeconds: 0.25,
  /** Least share of the due probes that must be done. */
  probesDone: 0.95,
  /**
   * Most requests that could not be sent, as a share of the due requests. All connections may be busy after a
   * pause of a shared machine.
   */
  requestsUnsent: 0.01,
  /**
   * Most requests refused by load shedding, as a share of the due requests. A few are refused after a pause
   * of a shared machine.
   */
  requestsRefused: 0.01,
  /** Most probes without an answer, as a share of the done probes; all servers of the fleet answer. */
  probesLost: 0.001,
} as const;

export interface Verdict {
  what: string;
  trend?: Trend;
  /** The judged value; at most `limit` is allowed. */
  value: number;
  limit: number;
  met: boolean;
}

/** Compares a value with its limit. */
export const judge = (what: string, value: number, limit: number, trend?: Trend): Verdict => ({
  what,
  value,
  limit,
  met: value <= limit,
  ...(trend && { trend }),
});

/**
 * Judges the samples of a soak. The first `warmUp` seconds are not judged; `probesDue` is in probes a second.
 */
export function verdictsOf(samples: readonly SoakSample[], warmUp: number, probesDue: number): Verdict[] {
  const trend = (of: (sample: SoakSample) => number, reduce?: Reduce): Trend =>
    trendOf(
      samples.map(sample => ({ at: sample.at, value: of(sample) })),
      warmUp,
      reduce,
    );
  const verdicts: Verdict[] = [];
  for (const name of processNames) {
    const of = (figure: keyof ProcessSample, reduce?: Reduce): Trend =>
      trend(({ processes }) => processes[name][figure], reduce);
    for (const [figure, share, reduce] of [
      ['residentBytes', LIMITS.memoryGrowth, 'median'],
      ['liveHeapBytes', LIMITS.heapGrowth, 'median'],
      ['externalBytes', LIMITS.heapGrowth, 'floor'],
    ] as const) {
      const memory = of(figure, reduce);
      const limit = Math.max(share * memory.median, LIMITS.memoryNoiseBytes);
      verdicts.push(judge(`${name}: growth of ${figure}`, memory.growth, limit, memory));
    }
    const descriptors = of('descriptors');
    verdicts.push(
      judge(`${name}: growth of descriptors`, descriptors.growth, LIMITS.descriptorGrowth, descriptors),
    );
    const lag = of('eventLoopLagSeconds');
    verdicts.push(
      judge(`${name}: event loop lag, p99`, lag.median, LIMITS.eventLoopLagSeconds, lag),
      judge(`${name}: its growth`, lag.growth, LIMITS.eventLoopLagGrowthSeconds),
    );
  }
  const lag = trend(({ scheduleLagSeconds }) => scheduleLagSeconds);
  verdicts.push(
    judge('schedule lag, p99', lag.median, LIMITS.scheduleLagSeconds, lag),
    judge('its growth', lag.growth, LIMITS.scheduleLagGrowthSeconds),
  );
  const measured = samples.filter(({ at }) => at >= warmUp);
  const [first, last] = [measured[0], measured.at(-1)];
  if (!first || !last || first === last) throw new Error('too short to be judged');
  const probes = last.probes - first.probes;
  const due = probesDue * (last.at - first.at);
  verdicts.push(
    judge('probes not done, of those due', 1 - probes / due, 1 - LIMITS.probesDone),
    judge('probes not online', 1 - (last.probesOnline - first.probesOnline) / probes, LIMITS.probesLost),
  );
  for (const [fault, count] of Object.entries(last.faults)) {
    verdicts.push(judge(fault, count - (first.faults[fault as keyof typeof first.faults] ?? 0), 0));
  }
  return verdicts;
}
