import { processNames } from '../system/stack.ts';
import type { ProcessSample, SoakSample } from './sampler.ts';
import { type Reduce, type Trend, trendOf } from './trend.ts';

/** What a soak has to keep to; docs/performance.md gives these limits. */
export const LIMITS = {
  /** Growth of memory over the measured time, as a share of its median. */
  memoryGrowth: 0.05,
  /** Growth of what is alive in the heap, and of the floor of what is outside; they vary more than memory in all. */
  heapGrowth: 0.1,
  /** Below this nothing is judged as growth: so much comes and goes with what is young. */
  memoryNoiseBytes: 12 * 2 ** 20,
  descriptorGrowth: 3,
  eventLoopLagSeconds: 0.1,
  eventLoopLagGrowthSeconds: 0.02,
  scheduleLagSeconds: 1,
  scheduleLagGrowthSeconds: 0.25,
  /** Of the probes that were due. */
  probesDone: 0.95,
  /** Of the requests due: all connections were waiting for an answer, as after a moment in which a shared machine did nothing. */
  requestsUnsent: 0.01,
  /** Of the requests due: too many were in progress, as after such a moment. */
  requestsRefused: 0.01,
  /** Of the probes done; the servers all answer. */
  probesLost: 0.001,
} as const;

export interface Verdict {
  what: string;
  trend?: Trend;
  /** What is judged, and what it may be at most. */
  value: number;
  limit: number;
  met: boolean;
}

/** `value` may be `limit` at most. */
export const judge = (what: string, value: number, limit: number, trend?: Trend): Verdict => ({
  what,
  value,
  limit,
  met: value <= limit,
  ...(trend && { trend }),
});

/** `warmUp`: seconds from the start that are not judged; `probesDue`: a second. */
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
