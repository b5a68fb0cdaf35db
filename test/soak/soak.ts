import { setTimeout as delay } from 'node:timers/promises';
import type { HttpLoadResult } from '../bench/http-load.ts';
import { allButOk, type LoadGenerator } from '../bench/load-generator.ts';
import { type ProcessName, processNames } from '../system/stack.ts';
import { tellProgress } from './report.ts';
import { requestsFor } from './requests.ts';
import { Sampler, type SoakSample } from './sampler.ts';
import type { SoakedService } from './soaked-service.ts';
import { judge, LIMITS, type Verdict, verdictsOf } from './verdicts.ts';

const CONNECTIONS = 512;
/** Before the peak is measured: all code is compiled by then. */
const WARM_UP_SECONDS = 5;
/** The load comes in parts, so that connections come and go. */
const PART_SECONDS = 30;
const SAMPLE_MS = 5_000;
/** Not judged: what the peak left is dealt with, and what is written behind is written once in five minutes. */
const WARM_UP_SHARE = 1 / 3;

export interface Rates {
  /** A second. */
  probes: number;
  fetches: number;
}

interface Part {
  /** Past the warm-up. */
  judged: boolean;
  counts: HttpLoadResult;
}

export interface SoakResult {
  verdicts: Verdict[];
  samples: SoakSample[];
  /** The slowest percent of fetches took at least so many milliseconds, part by part. */
  p99: number[];
  /** Cores in use. */
  cores: Record<ProcessName, number>;
}

const askOf = ({ stack, addresses }: SoakedService) => ({
  address: stack.http,
  asking: { kind: 'any', requests: requestsFor(addresses) } as const,
  connections: CONNECTIONS,
});

/** What the service does in a second where more probes are due and more fetches asked than it can do. */
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

/** Asks for so many fetches a second beside the probes that are due, and judges what came of it. */
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
  const parts: Part[] = [];
  for (let left = seconds; left > 0; left -= PART_SECONDS) {
    const counts = await load.run({ ...ask, seconds: Math.min(left, PART_SECONDS) });
    parts.push({ judged: left <= seconds * (1 - WARM_UP_SHARE), counts });
  }
  over.abort();
  await sampling;
  const last = await sampler.sample();
  samples.push(last);
  const all = parts.map(({ counts }) => counts);
  const judged = parts.filter(part => part.judged).map(({ counts }) => counts);
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

function sum(parts: readonly HttpLoadResult[], of: (part: HttpLoadResult) => number): number {
  return parts.reduce((all, part) => all + of(part), 0);
}

function coresOf(samples: readonly SoakSample[]): Record<ProcessName, number> {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) throw new Error('nothing was sampled');
  const cores = { core: 0, gateway: 0, prober: 0 };
  for (const name of processNames) {
    const cpuSeconds = last.processes[name].cpuSeconds - first.processes[name].cpuSeconds;
    cores[name] = cpuSeconds / (last.at - first.at);
  }
  return cores;
}
