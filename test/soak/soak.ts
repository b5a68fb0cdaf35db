import { setTimeout as delay } from 'node:timers/promises';
import type { HttpLoadResult } from '../bench/http-load.ts';
import { allButOk, type LoadGenerator } from '../bench/load-generator.ts';
import { type ProcessName, processNames } from '../system/stack-settings.ts';
import { tellProgress } from './report.ts';
import { requestsFor } from './requests.ts';
import { Sampler, type SoakSample } from './sampler.ts';
import type { SoakedService } from './soaked-service.ts';
import { judge, LIMITS, type Verdict, verdictsOf } from './verdicts.ts';

const CONNECTIONS = 512;
/** Length of the warm-up before the measurement of the peak load, in seconds. After this time all code is compiled. */
const WARM_UP_SECONDS = 5;
/**
 * Duration of one round of fetches in the soak test, in seconds. Each round opens new connections and closes them at
 * its end.
 */
const ROUND_SECONDS = 30;
const SAMPLE_MS = 5_000;
/**
 * Duration of the warm-up, as a share of the soak test. The limits do not apply to the warm-up, because the processes
 * still release memory from the peak load.
 */
const WARM_UP_SHARE = 1 / 3;

export interface Rates {
  /** Number of probes of game servers that the service finishes per second. */
  probes: number;
  fetches: number;
}

interface LoadRound {
  /**
   * False for a round of fetches in the warm-up at the start of the soak test. The limits do not apply to such a round.
   */
  judged: boolean;
  counts: HttpLoadResult;
}

export interface SoakResult {
  verdicts: Verdict[];
  samples: SoakSample[];
  /** 99th percentiles of the fetch latency, in milliseconds: one value for each round of fetches. */
  p99: number[];
  /** Average number of CPU cores that each process used, keyed by process. */
  cores: Record<ProcessName, number>;
}

const askOf = ({ stack, addresses }: SoakedService) => ({
  address: stack.http,
  requests: { kind: 'any', requests: requestsFor(addresses) } as const,
  connections: CONNECTIONS,
});

/**
 * Measures the peak load: offers more work than the service can do, and returns the completed probes and fetches per
 * second.
 */
export async function measurePeak(
  service: SoakedService,
  load: LoadGenerator,
  seconds: number,
): Promise<Rates> {
  const ask = askOf(service);
  await load.run({ ...ask, seconds: WARM_UP_SECONDS });
  const sampler = new Sampler(service.stack);
  const before = await sampler.sample();
  const peak = await load.run({ ...ask, seconds });
  const after = await sampler.sample();
  return {
    probes: (after.probes - before.probes) / (after.at - before.at),
    fetches: peak.ok / peak.seconds,
  };
}

/**
 * Runs the soak test: sends fetches at a fixed rate while the service probes servers. Returns the measurements and the
 * checked limits.
 */
export async function soak(
  service: SoakedService,
  load: LoadGenerator,
  fetchesASecond: number,
  seconds: number,
): Promise<SoakResult> {
  const ask = { ...askOf(service), rate: fetchesASecond };
  const sampler = new Sampler(service.stack);
  const samples: SoakSample[] = [await sampler.sample()];
  const over = new AbortController();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      await delay(SAMPLE_MS, undefined, { signal: over.signal }).catch(() => {});
      if (over.signal.aborted) return;
      const sample = await sampler.sample();
      const before = samples.at(-1)?.at ?? 0;
      samples.push(sample);
      if (Math.floor(sample.at / 60) > Math.floor(before / 60)) tellProgress(sample);
    }
  })();
  const rounds: LoadRound[] = [];
  for (let left = seconds; left > 0; left -= ROUND_SECONDS) {
    const counts = await load.run({ ...ask, seconds: Math.min(left, ROUND_SECONDS) });
    rounds.push({ judged: left <= seconds * (1 - WARM_UP_SHARE), counts });
  }
  over.abort();
  await sampling;
  const last = await sampler.sample();
  samples.push(last);
  const all = rounds.map(({ counts }) => counts);
  const judged = rounds.filter(round => round.judged).map(({ counts }) => counts);
  const due = sum(judged, counts => counts.ok + allButOk(counts));
  const verdicts = [
    ...verdictsOf(samples, last.at * WARM_UP_SHARE, service.probesDue),
    judge(
      'requests answered neither 200 nor with a refusal',
      sum(all, counts => allButOk(counts) - counts.unsent - counts.refused),
      0,
    ),
    judge('requests refused, of all', sum(judged, ({ refused }) => refused) / due, LIMITS.requestsRefused),
    judge(
      'requests that found no connection free, of all',
      sum(judged, ({ unsent }) => unsent) / due,
      LIMITS.requestsUnsent,
    ),
  ];
  return { verdicts, samples, p99: all.map(({ p99 }) => p99), cores: coresOf(samples) };
}

function sum(rounds: readonly HttpLoadResult[], of: (round: HttpLoadResult) => number): number {
  return rounds.reduce((all, round) => all + of(round), 0);
}

function coresOf(samples: readonly SoakSample[]): Record<ProcessName, number> {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) throw new Error('nothing was sampled');
  const cores = { core: 0, gateway: 0, prober: 0, notifier: 0 };
  for (const name of processNames) {
    const cpuSeconds = last.processes[name].cpuSeconds - first.processes[name].cpuSeconds;
    cores[name] = cpuSeconds / (last.at - first.at);
  }
  return cores;
}
