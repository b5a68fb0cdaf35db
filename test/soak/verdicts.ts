import { processNames } from '../system/stack-settings.ts';
import type { ProcessSample, SoakSample } from './sampler.ts';
import { type Reduce, type Trend, trendOf } from './trend.ts';

/** Limits for the values that a soak test measures. docs/performance.md documents them. */
export const LIMITS = {
  /**
   * Maximum growth of the resident memory of a process after the warm-up, as a share of the median of its resident
   * memory.
   */
  memoryGrowth: 0.05,
  /**
   * Maximum growth of the live heap of a process, divided by the median of the live heap. The same limit applies to the
   * growth of the memory outside the heap.
   */
  heapGrowth: 0.1,
  /**
   * Memory growth that is always allowed, in bytes. Short-lived objects alone change the memory of a process by this
   * amount.
   */
  memoryNoiseBytes: 12 * 2 ** 20,
  descriptorGrowth: 3,
  eventLoopLagSeconds: 0.1,
  eventLoopLagGrowthSeconds: 0.02,
  scheduleLagSeconds: 1,
  scheduleLagGrowthSeconds: 0.25,
  /** Minimum share of the due probes that gsq must complete in the soak test. */
  probesDone: 0.95,
  /**
   * Maximum share of unsent requests. A request is not sent if all connections are busy, for example after a short
   * pause of the machine.
   */
  requestsUnsent: 0.01,
  /**
   * Maximum share of requests that the service may reject because of overload. It is not 0, because the service rejects
   * a few requests if the machine pauses briefly.
   */
  requestsRefused: 0.01,
  /**
   * Maximum share of completed probes with a result other than online. The share is small, because all fake servers
   * answer.
   */
  probesLost: 0.001,
} as const;

export interface Verdict {
  what: string;
  trend?: Trend;
  /** The value that the soak test measured. It must not exceed `limit`. */
  value: number;
  limit: number;
  met: boolean;
}

/** Compares a measured value of the soak test with its limit. The value must not exceed the limit. */
export const judge = (what: string, value: number, limit: number, trend?: Trend): Verdict => ({
  what,
  value,
  limit,
  met: value <= limit,
  ...(trend && { trend }),
});

/**
 * Checks the limits with the samples that the soak test took after the first `warmUp` seconds. `probesDue` is the
 * number of probes that are due each second.
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
