/**
 * `npm run soak`: the whole service with a fleet of made-up game servers, at half of its peak for some minutes. What it
 * takes and how late it is has to stay as it is; docs/performance.md has the limits. Ends with 1 where it does not.
 *
 * npm run soak -- [--minutes N] [--servers N] [--json FILE]
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { FleetTarget } from '../bench/fleet-host.ts';
import { FleetHosts } from '../bench/fleet-hosts.ts';
import { allButOk, LoadGenerator } from '../bench/load-generator.ts';
import { describeMachine, thisMachine } from '../bench/machine.ts';
import { mebibytes } from '../bench/process-usage.ts';
import { fetchHead } from '../bench/requests.ts';
import { credentialHeaders } from '../bench/service.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { processNames, Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { Sampler, type SoakSample } from './sampler.ts';
import { judge, LIMITS, type Verdict, verdictsOf } from './verdicts.ts';

/** As many as are due at the peak: a million servers, each once a minute. */
const MOST_PROBES_A_SECOND = 1_000_000 / 60;
/** The load, as a share of what the machine can do. */
const SHARE_OF_PEAK = 1 / 2;
// Somebody is on each: empty ones would be asked more seldom after half an hour, and players who never change after two.
const MAX_MINUTES = 110;
const GAME = 'csgo';
const A_REQUEST = 1_000;
/** What callers ask for: so many of a hundred requests name so many servers. */
const MIX = [
  { share: 80, servers: 1 },
  { share: 18, servers: 10 },
  { share: 2, servers: 100 },
] as const;
const REQUESTS = 1_000;
const CONNECTIONS = 512;
/** A shared machine lends more to a second than to a minute. */
const MOST_PEAK_SECONDS = 60;
const PEAK_SHARE = 1 / 4;
const WARM_UP_SECONDS = 5;
/** The load comes in parts, so that connections come and go. */
const PART_SECONDS = 30;
const SAMPLE_MS = 5_000;
/** Memory settles meanwhile: what is written behind is written once in five minutes. */
const WARM_UP_SHARE = 1 / 3;

function options(): { minutes: number; servers: number; json: string | undefined } {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '2' },
      servers: { type: 'string', default: '10000' },
      json: { type: 'string' },
    },
  });
  const [minutes, servers] = [Number(values.minutes), Number(values.servers)];
  if (
    !(minutes > 0 && minutes <= MAX_MINUTES) ||
    !Number.isInteger(servers / 2) ||
    servers < 200 ||
    servers > 40_000
  ) {
    console.error(
      `soak: [--minutes N] [--servers N] [--json FILE]; minutes up to ${MAX_MINUTES}, servers: even, 200 to 40000`,
    );
    process.exit(2);
  }
  return { minutes, servers, json: values.json };
}

const settings = (servers: number, probesASecond: number): Record<string, string> => ({
  GSQ_PROBE_INTERVAL: `${Math.round((servers / probesASecond) * 1000)}ms`,
  GSQ_PACKETS_PER_SECOND: '1000000',
  GSQ_MAX_IN_FLIGHT: '5000',
  GSQ_INSERTS_PER_MINUTE: String(servers),
  GSQ_MAX_UNPROVEN_PER_TOKEN: String(servers),
  GSQ_BURST_LIMIT: '1000000000',
  GSQ_LOG_LEVEL: 'warn',
});

const bodyOf = (addresses: readonly string[]): string =>
  JSON.stringify({ servers: [{ game_id: GAME, servers: addresses }] });

async function insert(stack: Stack, addresses: readonly string[]): Promise<void> {
  for (let first = 0; first < addresses.length; first += A_REQUEST) {
    const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentialHeaders },
      body: bodyOf(addresses.slice(first, first + A_REQUEST)),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

/** Requests of the mix, the same on every run. */
function requestsFor(addresses: readonly string[]): string[] {
  const below = randomNumbers(17);
  const distinct = (count: number): string[] => {
    const chosen = new Set<string>();
    while (chosen.size < count) chosen.add(addresses[below(addresses.length)] ?? '');
    return [...chosen];
  };
  return Array.from({ length: REQUESTS }, () => {
    let drawn = below(100);
    const { servers } =
      MIX.find(({ share }) => {
        drawn -= share;
        return drawn < 0;
      }) ?? MIX[0];
    const body = bodyOf(distinct(servers));
    return `${fetchHead}${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
}

function shown(value: number, what: string): string {
  if (/Bytes$/.test(what)) return `${mebibytes(value)?.toFixed(1) ?? '0.0'} MiB`;
  return Number.isInteger(value) ? String(value) : value.toFixed(4);
}

function tell({ what, value, limit, met, trend }: Verdict): void {
  const about = trend ? ` (median ${shown(trend.median, what)}, growth ${shown(trend.growth, what)})` : '';
  console.log(
    `${met ? 'ok    ' : 'FAILED'} ${what}: ${shown(value, what)}, at most ${shown(limit, what)}${about}`,
  );
}

function tellProgress({ at, processes, scheduleLagSeconds, probes, fetches }: SoakSample): void {
  const memory = processNames.map(
    name => `${name} ${mebibytes(processes[name].residentBytes)?.toFixed(0)} MiB`,
  );
  console.log(
    `${(at / 60).toFixed(1)} min: ${memory.join(', ')}; lag ${scheduleLagSeconds} s; ${probes} probes, ${fetches} fetches`,
  );
}

/** A service that knows these servers and has probed each. */
async function startService(addresses: readonly string[], probesASecond: number): Promise<Stack> {
  const stack = await Stack.start({ env: settings(addresses.length, probesASecond) });
  try {
    const sampler = new Sampler(stack);
    await insert(stack, addresses);
    await until(
      'all servers probed',
      () => sampler.sample(),
      ({ probesOnline }) => probesOnline >= addresses.length,
      60_000,
    );
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

interface Ask {
  asking: { kind: 'any'; requests: readonly string[] };
  connections: number;
}

interface Rates {
  probes: number;
  fetches: number;
}

/** What the machine does in a second where more probes are due and more fetches asked than it can do. */
async function measurePeak(
  load: LoadGenerator,
  addresses: readonly string[],
  ask: Ask,
  seconds: number,
): Promise<Rates> {
  const stack = await startService(addresses, MOST_PROBES_A_SECOND);
  try {
    const asked = { ...ask, address: stack.http };
    // A first part, so that all code is compiled.
    await load.run({ ...asked, seconds: WARM_UP_SECONDS });
    const sampler = new Sampler(stack);
    const before = await sampler.sample();
    const peak = await load.run({ ...asked, seconds });
    const after = await sampler.sample();
    return {
      probes: (after.probes - before.probes) / (after.at - before.at),
      fetches: peak.ok / peak.seconds,
    };
  } finally {
    await stack.stop();
  }
}

const { minutes, servers, json } = options();
const seconds = minutes * 60;

/** Whether all limits were kept. */
async function soak(
  load: LoadGenerator,
  addresses: readonly string[],
  ask: Ask,
  rates: Rates,
): Promise<boolean> {
  const stack = await startService(addresses, rates.probes);
  try {
    const asked = { ...ask, address: stack.http };
    await load.run({ ...asked, seconds: WARM_UP_SECONDS, rate: rates.fetches });
    const sampler = new Sampler(stack);
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
    const slowest: number[] = [];
    for (let left = seconds; left > 0; left -= PART_SECONDS) {
      const part = await load.run({ ...asked, seconds: Math.min(left, PART_SECONDS), rate: rates.fetches });
      due += part.ok + allButOk(part);
      unsent += part.unsent;
      refused += part.refused;
      failed += allButOk(part) - part.unsent - part.refused;
      slowest.push(part.p99);
    }
    over.abort();
    await sampling;
    samples.push(await sampler.sample());
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || !last) throw new Error('nothing was sampled');
    const cores = Object.fromEntries(
      processNames.map(name => [
        name,
        (last.processes[name].cpuSeconds - first.processes[name].cpuSeconds) / (last.at - first.at),
      ]),
    );
    const verdicts = [
      ...verdictsOf(samples, last.at * WARM_UP_SHARE, rates.probes),
      judge('requests answered neither 200 nor with a refusal', failed, 0),
      judge('requests refused, of all', refused / due, LIMITS.requestsRefused),
      judge('requests that found no connection free, of all', unsent / due, LIMITS.requestsUnsent),
    ];
    const well = verdicts.every(({ met }) => met);
    for (const verdict of verdicts) tell(verdict);
    const worst = Math.max(...slowest);
    console.log(
      `fetches ${Math.round(rates.fetches)}/s, worst p99 of ${PART_SECONDS} s ${worst.toFixed(1)} ms; cores: ${processNames
        .map(name => `${name} ${cores[name]?.toFixed(2)}`)
        .join(', ')}`,
    );
    console.log(well ? 'passed' : 'failed');
    if (json !== undefined) {
      const facts = { machine: thisMachine(), minutes, servers, rates, cores };
      writeFileSync(
        json,
        `${JSON.stringify({ ...facts, well, verdicts, p99: slowest, samples }, null, 1)}\n`,
      );
    }
    return well;
  } finally {
    await stack.stop();
  }
}

console.log(describeMachine(thisMachine()));
const fleet = await FleetHosts.start();
const load = await LoadGenerator.start();
let well = false;
try {
  const targets: FleetTarget[] = await fleet.open('a2s', servers, true);
  const addresses = targets.map(({ address, port }) => `${address}:${port}`);
  const ask: Ask = {
    asking: { kind: 'any', requests: requestsFor(addresses) },
    connections: CONNECTIONS,
  };
  const peak = await measurePeak(load, addresses, ask, Math.min(MOST_PEAK_SECONDS, seconds * PEAK_SHARE));
  const rates: Rates = { probes: peak.probes * SHARE_OF_PEAK, fetches: peak.fetches * SHARE_OF_PEAK };
  console.log(
    `peak: ${Math.round(peak.probes)} probes/s and ${Math.round(peak.fetches)} fetches/s; now half of both for ${minutes} min`,
  );
  well = await soak(load, addresses, ask, rates);
} finally {
  await load.stop();
  await fleet.stop();
}
process.exit(well ? 0 : 1);
