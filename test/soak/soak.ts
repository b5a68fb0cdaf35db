import { setTimeout as delay } from 'node:timers/promises';
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
/** Memory settles meanwhile: what is written behind is written once in five minutes. */
const WARM_UP_SHARE = 1 / 3;

export interface Rates {
  /** A second. */
  probes: number;
  fetches: number;
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
  let [due, failed, refused, unsent] = [0, 0, 0, 0];
  const p99: number[] = [];
  for (let left = seconds; left > 0; left -= PART_SECONDS) {
    const part = await load.run({ ...ask, seconds: Math.min(left, PART_SECONDS) });
    due += part.ok + allButOk(part);
    unsent += part.unsent;
    refused += part.refused;
    failed += allButOk(part) - part.unsent - part.refused;
    p99.push(part.p99);
  }
  over.abort();
  await sampling;
  const last = await sampler.sample();
  samples.push(last);
  const verdicts = [
    ...verdictsOf(samples, last.at * WARM_UP_SHARE, service.probesDue),
    judge('requests answered neither 200 nor with a refusal', failed, 0),
    judge('requests refused, of all', refused / due, LIMITS.requestsRefused),
    judge('requests that found no connection free, of all', unsent / due, LIMITS.requestsUnsent),
  ];
  return { verdicts, samples, p99, cores: coresOf(samples) };
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
