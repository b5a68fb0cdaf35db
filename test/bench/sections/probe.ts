import { nodeOptions } from '../../../cli/launcher/service-arguments.ts';
import { playFleet } from '../played-fleet.ts';
import type { Sweep, SweepResult } from '../probe-load.ts';
import { quakestatSweep } from '../quakestat.ts';
import { inTurn, median } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { Worker } from '../worker.ts';

const SERVERS = 20_000;
const IN_FLIGHT = 5_000;
/**
 * Number of servers that are queried with gamedig. It is smaller than the number of servers for gsq, because gamedig is
 * slower and loses replies.
 */
const GAMEDIG_SERVERS = 2_000;
/**
 * Numbers of simultaneous queries in the comparisons with gamedig, one comparison for each number. Only one
 * comparison has a target: the one with the largest number at which gamedig loses less than 1 % of the replies.
 */
const GAMEDIG_IN_FLIGHT = [16, 32, 64, 128, 256] as const;
const MOST_LOST = 0.01;
/**
 * Number of simultaneous queries in the comparison of gsq with quakestat. Both programs need the least CPU time with
 * about this number.
 */
const SWEEP_IN_FLIGHT = 250;
const CPU_TARGET = 6;

const LOAD = new URL('../probe-load.ts', import.meta.url);

const columns: Column[] = [
  { key: 'by', heading: 'asked by' },
  { key: 'servers', heading: 'servers' },
  { key: 'inFlight', heading: 'in flight' },
  { key: 'online', heading: 'online' },
  { key: 'wrong', heading: 'wrong' },
  { key: 'lost', heading: 'called offline' },
  { key: 'seconds', heading: 's', digits: 1 },
  { key: 'rate', heading: 'probes/s' },
  { key: 'cpuEach', heading: 'CPU µs each', digits: 1 },
  { key: 'perCpuSecond', heading: 'probes per CPU second' },
  { key: 'ratio', heading: 'ratio', digits: 2 },
  ...judgedColumns,
];

function row(by: string, inFlight: number, results: readonly SweepResult[]) {
  const of = (figure: (result: SweepResult) => number) => median(results.map(figure)) ?? Number.NaN;
  const queried = (result: SweepResult) => result.online + result.wrong + result.lost;
  const cpuEach = of(result => result.cpu / queried(result));
  return {
    by,
    servers: of(queried),
    inFlight,
    online: of(({ online }) => online),
    wrong: of(({ wrong }) => wrong),
    // Uses the round with the most lost replies, and not the median of all rounds. Even one lost reply matters: it can
    // make a server look offline although the server answers.
    lost: Math.max(...results.map(({ lost }) => lost)),
    seconds: of(({ seconds }) => seconds),
    rate: of(result => queried(result) / result.seconds),
    cpuEach,
    perCpuSecond: 1e6 / cpuEach,
  };
}

async function measureA2s(bench: Bench, load: Worker<Sweep, SweepResult>) {
  const fleet = await playFleet('a2s', SERVERS);
  const targets = [...fleet.targets];
  const sweep = (engine: Sweep['engine'], inFlight: number, count: number) => () =>
    load.ask({ engine, protocol: 'a2s', gamedigType: 'csgo', targets: targets.slice(0, count), inFlight });
  const sides = {
    gsq: sweep('gsq', IN_FLIGHT, SERVERS),
    ...Object.fromEntries(
      GAMEDIG_IN_FLIGHT.flatMap(inFlight => [
        [`gsq ${inFlight}`, sweep('gsq', inFlight, SERVERS)] as const,
        [`gamedig ${inFlight}`, sweep('gamedig', inFlight, GAMEDIG_SERVERS)] as const,
      ]),
    ),
  };
  const results = await inTurn<string, SweepResult>(sides, bench.rounds).finally(() => fleet.stop());
  const all = row('gsq', IN_FLIGHT, results.gsq ?? []);
  const pairs = GAMEDIG_IN_FLIGHT.map(inFlight => {
    const ours = row('gsq', inFlight, results[`gsq ${inFlight}`] ?? []);
    const theirs = row('gamedig', inFlight, results[`gamedig ${inFlight}`] ?? []);
    return { ours, theirs, ratio: ours.perCpuSecond / theirs.perCpuSecond };
  });
  const best = pairs.filter(({ theirs }) => theirs.lost < theirs.servers * MOST_LOST).at(-1);
  return {
    title: 'A2S with challenge: every server of a fleet queried once',
    notes: [
      `${SERVERS} servers, each at an address of its own, half of them with players, played by ${fleet.by}; every answer is`,
      `compared with what the server is. Ratio: probes per CPU second to gamedig's at the same concurrency; judged at the highest at which`,
      `it loses less than ${MOST_LOST * 100} %. Medians; of those called offline, the most.`,
    ],
    columns,
    rows: [
      all,
      ...pairs.flatMap(pair => [
        {
          ...pair.ours,
          ratio: pair.ratio,
          ...(pair === best ? judged(pair.ratio, '>=', CPU_TARGET, 1) : {}),
        },
        pair.theirs,
      ]),
    ],
  } satisfies Table;
}

async function measureQuake3(bench: Bench, load: Worker<Sweep, SweepResult>) {
  const fleet = await playFleet('quake3', SERVERS);
  const targets = [...fleet.targets];
  const sweep = (inFlight: number) => () =>
    load.ask({ engine: 'gsq', protocol: 'quake3', gamedigType: 'q3a', targets, inFlight });
  const results = await inTurn<string, SweepResult | undefined>(
    {
      all: sweep(IN_FLIGHT),
      gsq: sweep(SWEEP_IN_FLIGHT),
      quakestat: () => quakestatSweep(targets, SWEEP_IN_FLIGHT),
    },
    bench.rounds,
  ).finally(() => fleet.stop());
  const rowOf = (side: string, by: string, inFlight: number) => {
    const known = (results[side] ?? []).filter(result => result !== undefined);
    return known.length > 0 ? row(by, inFlight, known) : undefined;
  };
  const [ours, theirs] = [
    rowOf('gsq', 'gsq', SWEEP_IN_FLIGHT),
    rowOf('quakestat', 'quakestat', SWEEP_IN_FLIGHT),
  ];
  const ratio = ours && theirs && theirs.seconds / ours.seconds;
  return {
    title: 'Quake 3: a sweep of the whole fleet',
    notes: [
      `The same fleet, of Quake 3 servers, played by ${fleet.by}. Ratio: the time quakestat takes at its fastest settings to ours.`,
    ],
    columns,
    rows: [
      rowOf('all', 'gsq', IN_FLIGHT),
      ours && { ...ours, ratio, ...judged(ratio, '>=', 1) },
      theirs,
    ].filter(found => found !== undefined),
  } satisfies Table;
}

/** Measures the CPU cost of a query with gsq, with gamedig, and with the C program quakestat. */
export const probeSection: Section = async bench => {
  const load = await Worker.start<Sweep, SweepResult>(LOAD, nodeOptions('prober'));
  try {
    return [await measureA2s(bench, load), await measureQuake3(bench, load)];
  } finally {
    await load.stop();
  }
};
