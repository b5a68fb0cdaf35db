import { setTimeout as delay } from 'node:timers/promises';
import { Stack } from '../../system/stack.ts';
import { BareLoop } from '../bare-loop.ts';
import type { FleetTarget } from '../fleet-member.ts';
import { aroundStolen } from '../machine.ts';
import { playFleet } from '../played-fleet.ts';
import type { Bench, Section } from '../section.ts';
import { credentialHeaders } from '../service.ts';
import { type Column, judged, judgedColumns } from '../table.ts';
import { aroundCpu } from '../throughput.ts';

const SERVERS = 20_000;
/** Number of probes a second for a million servers that are each probed once a minute. */
const MILLION_A_MINUTE = 1_000_000 / 60;
/** The three probe rates that the bench measures, as shares of a million probes a minute. */
const SHARES = [1 / 4, 1 / 2, 1] as const;
/** Duration of the measurement at full load, in seconds. In this time, a million probes become due. */
const MINUTE_SECONDS = 60;
const A_REQUEST = 1_000;
/**
 * Waiting time after the insertion of the servers and before the measurement, in milliseconds. In about this time, the
 * JIT compiler compiles the code of the service.
 */
const SETTLE_MS = 40_000;
const TARGETS = { lagSeconds: 5, cores: 1 };
/**
 * Maximum CPU time of a probe by gsq, divided by the CPU time that a minimal C program needs for a probe. On the
 * reference machine, the maximum is 60 µs, and the C program needs 5.4 µs.
 */
const BARE_LOOPS = 60 / 5.4;

const settings = (intervalMs: number): Record<string, string> => ({
  GSQ_PROBE_INTERVAL: `${intervalMs}ms`,
  GSQ_PACKETS_PER_SECOND: '1000000',
  GSQ_MAX_IN_FLIGHT: '5000',
  GSQ_INSERTS_PER_MINUTE: String(SERVERS),
  GSQ_MAX_UNPROVEN_PER_TOKEN: String(SERVERS),
  GSQ_BURST_LIMIT: '1000000000',
  GSQ_LOG_LEVEL: 'warn',
});

async function insert(stack: Stack, targets: readonly FleetTarget[]): Promise<void> {
  for (let first = 0; first < targets.length; first += A_REQUEST) {
    const servers = targets.slice(first, first + A_REQUEST).map(({ address, port }) => `${address}:${port}`);
    const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentialHeaders },
      body: JSON.stringify({ servers: [{ game_id: 'csgo', servers }] }),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

async function metricsOf(stack: Stack, process: 'core' | 'prober'): Promise<string> {
  const setting = process === 'core' ? 'GSQ_CORE_OPS_ADDR' : 'GSQ_PROBER_OPS_ADDR';
  const response = await fetch(`http://${stack.process(process).address(setting)}/metrics`);
  return response.text();
}

/**
 * Reads the delays of the probes from the core's metrics. The delay of a probe is the time from its due time until the
 * core leased it to the prober. Returns, for each delay in seconds, the number of probes with at most this delay.
 */
function lagsOf(metrics: string): Map<number, number> {
  const lines = metrics.matchAll(/^gsq_schedule_lag_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm);
  return new Map(
    [...lines].map(([, bound, count]) => [bound === '+Inf' ? Infinity : Number(bound), Number(count)]),
  );
}

const sum = (metrics: string, pattern: RegExp): number =>
  [...metrics.matchAll(pattern)].reduce((all, [, figure]) => all + Number(figure), 0);

const figuresOf = (prober: string) => ({
  probes: sum(prober, /^gsq_probes_total\{[^}]*\} (\d+)$/gm),
  online: sum(prober, /^gsq_probes_total\{[^}]*outcome="online"[^}]*\} (\d+)$/gm),
});

async function measure(targets: readonly FleetTarget[], share: number, seconds: number) {
  const due = MILLION_A_MINUTE * share;
  const stack = await Stack.start({ env: settings(Math.round((SERVERS / due) * 1000)) });
  try {
    await insert(stack, targets);
    await delay(SETTLE_MS);
    const pids = Object.fromEntries(
      (['core', 'prober'] as const).map(name => [name, stack.process(name).child.process.pid ?? 0]),
    );
    const look = async () => [await metricsOf(stack, 'core'), await metricsOf(stack, 'prober')] as const;
    const [coreBefore, proberBefore] = await look();
    const startedAt = performance.now();
    const {
      result: { cpu },
      stolen,
    } = await aroundStolen(() => aroundCpu(pids, () => delay(seconds * 1000)));
    const took = (performance.now() - startedAt) / 1000;
    const [core, prober] = await look();
    const [before, after] = [figuresOf(proberBefore), figuresOf(prober)];
    const probes = after.probes - before.probes;
    const lagsBefore = lagsOf(coreBefore);
    const lags = [...lagsOf(core)].map(
      ([bound, count]) => [bound, count - (lagsBefore.get(bound) ?? 0)] as const,
    );
    const all = lags.at(-1)?.[1] ?? 0;
    const cores = ((cpu.core ?? Number.NaN) + (cpu.prober ?? Number.NaN)) / probes / 1e6;
    return {
      share,
      due,
      probes: probes / took,
      notOnline: probes - (after.online - before.online),
      lag: lags.find(([, count]) => count >= all * 0.99)?.[0],
      proberCpu: (cpu.prober ?? Number.NaN) / probes,
      coreCpu: (cpu.core ?? Number.NaN) / probes,
      cores: cores * MILLION_A_MINUTE,
      stolen,
    };
  } finally {
    await stack.stop();
  }
}

const columns: Column[] = [
  { key: 'share', heading: 'of a million a minute', digits: 2 },
  { key: 'due', heading: 'due/s' },
  { key: 'probes', heading: 'probes/s' },
  { key: 'notOnline', heading: 'not online' },
  { key: 'lag', heading: 'lag p99 s, at most', digits: 2 },
  { key: 'lagMet', heading: `<= ${TARGETS.lagSeconds} s` },
  { key: 'proberCpu', heading: 'prober µs', digits: 1 },
  { key: 'coreCpu', heading: 'core µs', digits: 1 },
  { key: 'cores', heading: 'cores for a million a minute', digits: 2 },
  ...judgedColumns,
  { key: 'stolen', heading: 'stolen %', digits: 1 },
  { key: 'bare', heading: 'bare loop µs', digits: 1 },
  { key: 'bareLoops', heading: 'bare loops each', digits: 1 },
  { key: 'bareMet', heading: `<= ${BARE_LOOPS.toFixed(1)}` },
];

/**
 * Measures the CPU time at up to a million probes a minute, and the delay until the core leases a due probe to the
 * prober. The fake servers run on the same machine.
 */
export const minuteSection: Section = async ({ overloadSeconds }: Bench) => {
  const fleet = await playFleet('a2s', SERVERS);
  const { by, targets } = fleet;
  try {
    const bareLoop = await BareLoop.build();
    const rows = [];
    for (const share of SHARES) {
      const before = await bareLoop?.cpuEach(targets);
      const row = await measure(targets, share, share === 1 ? MINUTE_SECONDS : overloadSeconds);
      const after = await bareLoop?.cpuEach(targets);
      const bare = before !== undefined && after !== undefined ? (before + after) / 2 : undefined;
      const bareLoops = bare && (row.proberCpu + row.coreCpu) / bare;
      const lagMet = judged(row.lag, '<=', TARGETS.lagSeconds).met;
      const bareMet = judged(bareLoops, '<=', BARE_LOOPS).met;
      rows.push({ ...row, lagMet, bare, bareLoops, bareMet, ...judged(row.cores, '<=', TARGETS.cores) });
    }
    return [
      {
        title: 'A million servers a minute',
        notes: [
          `Core, gateway and one prober; ${SERVERS} servers of A2S with challenge, half of them with players, played by ${by}`,
          'and probed so often that as many probes are due as for that share of a million servers once a minute. Lag: from when a',
          'probe was due until it was given to the prober, of all of them. Cores: CPU of prober and core for each probe, times a',
          `million a minute; measured for ${overloadSeconds} s, all of the rate for a minute. Bare loop: a C program that asks the same`,
          'servers for their status, with the challenge, and does nothing else, before and after each row: how fast the machine is at that time.',
          "Stolen: of the machine's CPU while it was measured, what went to others on the same host.",
        ],
        columns,
        rows,
      },
    ];
  } finally {
    await fleet.stop();
  }
};
