import { scratchDirectory } from '../../system/scratch-directory.ts';
import type { LoadGenerator } from '../load-generator.ts';
import { closedLoop, fetchRequests, TRACKED } from '../sections/fetch.ts';
import { type Caller, grpcCalls, sample, throughput } from '../sections/grpc.ts';
import { Service } from '../service.ts';
import type { Throughput } from '../throughput.ts';
import type { Checkout } from './checkout.ts';
import { both, type Cost, type Found, type Pair } from './pair.ts';
import { equaliseSlices } from './steady-node.ts';

interface Load {
  /**
   * Number of responses that each compared checkout of gsq must send before the measurement begins. This warm-up is
   * necessary because V8 compiles the code during about the first 10,000 calls.
   */
  warmUp: number;
  /**
   * Number of connections of a REST load. A response that arrives after the end of the load is not counted: at most one
   * for each connection. Therefore a load with few responses uses few connections.
   */
  connections?: number;
}

/** Settings for the load of each measurement, keyed by the name of the row in the result table. */
const loads: Readonly<Record<string, Load>> = {
  'fetch 1': { warmUp: 8_000, connections: 128 },
  'fetch 10': { warmUp: 8_000, connections: 128 },
  'fetch 100': { warmUp: 2_000, connections: 32 },
  'fetch 1000': { warmUp: 200, connections: 8 },
  catalog: { warmUp: 10_000, connections: 128 },
  'FetchServers 1': { warmUp: 8_000 },
  'FetchServers 10': { warmUp: 5_000 },
  'FetchServers 100': { warmUp: 1_500 },
  'FetchStream 1': { warmUp: 10_000 },
  'FetchStream 10': { warmUp: 8_000 },
  'FetchStream 100': { warmUp: 1_500 },
};
/**
 * How long the load generator sends requests to warm up the processes, in seconds. It sends them directly before each
 * measurement, to fill the caches.
 */
const WARM_UP_SECONDS = 0.5;

/** The load generators that send requests to one of the two compared checkouts of gsq. */
export interface Callers {
  http: LoadGenerator;
  grpc: Caller;
}

interface Side extends Callers {
  service: Service;
}

async function startSide(checkout: Checkout, callers: Callers): Promise<Side> {
  const directory = scratchDirectory();
  checkout.writeTrackedServers(directory, TRACKED);
  const service = await Service.start(directory, {}, (name, env) => checkout.start(name, env));
  return { ...callers, service };
}

function costOf({ cpu }: Throughput): Cost {
  const { load: _, ...servers } = cpu;
  return Object.fromEntries(Object.entries(servers).map(([name, used]) => [name, used ?? Number.NaN]));
}

/** One row of the table that compares two checkouts (working copies) of gsq. */
interface Row {
  name: string;
  /** Sends load to one of the two compared checkouts. Resolves to the measured throughput. */
  ask(side: Side, seconds: number): Promise<Throughput>;
}

function loadOf(row: string): Load {
  const load = loads[row];
  if (!load) throw new Error(`no load is defined for the row "${row}"`);
  return load;
}

async function warmUp({ name, ask }: Row, side: Side): Promise<void> {
  for (let left = loadOf(name).warmUp; left > 0; ) {
    const { rate } = await ask(side, WARM_UP_SECONDS);
    left -= rate * WARM_UP_SECONDS;
  }
}

async function fetchRows({ service: first }: Side): Promise<Row[]> {
  return [...(await fetchRequests(first))].map(([name, request]) => ({
    name,
    ask: ({ http, service }, seconds) =>
      http.throughput({
        ...closedLoop(request, seconds),
        connections: loadOf(name).connections ?? 1,
        address: service.http,
        servers: { gateway: service.gateway.pid, core: service.core.pid },
      }),
  }));
}

async function grpcRows({ grpc: caller, service: first }: Side): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { row: name, ask, size } of grpcCalls) {
    const { length: bytes } = await sample(caller, first.grpc, ask, size);
    rows.push({
      name,
      ask: ({ grpc, service }, seconds) => {
        const side = { address: service.grpc, servers: { core: service.core.pid } };
        return throughput(grpc, side, { ...ask, seconds }, bytes);
      },
    });
  }
  return rows;
}

/**
 * Measures once how much CPU time two checkouts of gsq use for each kind of request. Calls `found` with the results.
 * `sections`: names of the bench sections to measure.
 */
export async function measureAnswers(
  checkouts: Pair<Checkout>,
  callers: Pair<Callers>,
  sections: readonly string[],
  seconds: number,
  found: Found,
): Promise<void> {
  const sides = await Promise.all([startSide(checkouts[0], callers[0]), startSide(checkouts[1], callers[1])]);
  try {
    const rows = [
      ...(sections.includes('fetch') ? await fetchRows(sides[0]) : []),
      ...(sections.includes('grpc') ? await grpcRows(sides[0]) : []),
    ];
    for (const row of rows) await both(sides, side => warmUp(row, side));
    await equaliseSlices(sides.flatMap(({ service: { gateway, core } }) => [gateway.pid, core.pid]));
    for (const { name, ask } of rows) {
      await both(sides, side => ask(side, WARM_UP_SECONDS));
      found(name, await both(sides, async side => costOf(await ask(side, seconds))));
    }
  } finally {
    await both(sides, side => side.service.stop());
  }
}
