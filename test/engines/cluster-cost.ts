/**
 * Compares the CPU time of a fetch, in microseconds: one core with the embedded store, and one, two and three cores
 * with Valkey. Prints the median and the range of all rounds.
 *
 *   node --import ./runtime/typescript.mjs test/engines/cluster-cost.ts [rounds]
 */
import { gsqV1 } from '../../proto/descriptors.ts';
import type { GrpcLoad, GrpcLoadResult } from '../bench/grpc-load.ts';
import { inTurn } from '../bench/rounds.ts';
import { metadata } from '../bench/sections/grpc.ts';
import { addressAt, gameAt, games, writeTrackedServers } from '../bench/tracked-servers.ts';
import { Worker } from '../bench/worker.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ComparedGroups, idleCostOf, medianAndRange, startCpuClocks } from './compared-groups.ts';
import type { CoreGroup } from './core-group.ts';
import { EngineCluster } from './engine-cluster.ts';
import { ownedAddresses } from './owned-addresses.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const TRACKED = 8_000;
const SECONDS = 1.5;
/** Number of different fetch requests that a measurement sends. */
const REQUESTS = 128;
const STREAMS = 4;
const IN_FLIGHT = 128;
const GAME = gameAt(0);
const { FetchStream } = gsqV1.ServerService.service;

/** The CPU time that each core process spends on one fetch, in microseconds. One element for each process. */
type Costs = readonly number[];

/** Returns encoded fetch requests. Each of them asks for `size` servers. */
function fetchesOf(addresses: readonly string[], size: number): Uint8Array[] {
  return Array.from({ length: REQUESTS }, (_, i) => {
    const servers = Array.from(
      { length: size },
      (_, j) => addresses[(i * size + j) % addresses.length] ?? '',
    );
    return FetchStream.requestSerialize({
      calls: [{ id: REQUESTS + i, fetch: { servers: [{ gameId: GAME, servers }] } }],
    });
  });
}

/** Sends fetches to one core of a service. Resolves to the CPU time that one fetch costs each core of this service. */
async function costOf(
  load: Worker<GrpcLoad, GrpcLoadResult>,
  group: CoreGroup,
  entry: number,
  requests: readonly Uint8Array[],
): Promise<Costs> {
  const cpu = startCpuClocks(group);
  const { calls } = await load.ask({
    address: group.cores[entry]?.address('GSQ_GRPC_ADDR') ?? '',
    ...{
      path: FetchStream.path,
      requests,
      metadata,
      streams: STREAMS,
      inFlight: IN_FLIGHT,
      seconds: SECONDS,
    },
  });
  return cpu().map(each => each / calls);
}

/**
 * Formats the median and the range of the CPU costs of one core over all rounds. `core`: index of the core in its
 * service.
 */
function textOf(costs: readonly Costs[], core: number): string {
  return medianAndRange(
    costs.map(each => each[core] ?? Number.NaN),
    1,
  );
}

async function measureFetches(): Promise<void> {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, TRACKED);
  const load = await Worker.start<GrpcLoad, GrpcLoadResult>(
    new URL('../bench/grpc-load.ts', import.meta.url),
  );
  const startEngine = () => EngineCluster.startSingle('valkey');
  const groups = await ComparedGroups.start({ directory, startEngine });
  try {
    const { embedded, one, two, three } = groups;
    const all = Array.from({ length: TRACKED / games.length }, (_, i) => addressAt(i * games.length));
    const ofTwo = fetchesOf(await ownedAddresses(two.internal[0] ?? '', GAME, all), 1);
    const ofThree = fetchesOf(await ownedAddresses(three.internal[0] ?? '', GAME, all), 1);
    const hundred = fetchesOf(all, 100);
    const variants: Record<string, () => Promise<Costs>> = {
      'embedded, 1 core, a second without calls': () => idleCostOf(embedded),
      'Valkey, 1 core, a second without calls': () => idleCostOf(one),
      'Valkey, 3 cores, a second without calls': () => idleCostOf(three),
      'embedded, 1 core, fetch 1': () => costOf(load, embedded, 0, ofThree),
      'Valkey, 1 core, fetch 1': () => costOf(load, one, 0, ofThree),
      'Valkey, 2 cores, fetch 1, owned by entry': () => costOf(load, two, 0, ofTwo),
      'Valkey, 3 cores, fetch 1, owned by entry': () => costOf(load, three, 0, ofThree),
      'Valkey, 2 cores, fetch 1, owned by core 0, entry core 1': () => costOf(load, two, 1, ofTwo),
      'Valkey, 3 cores, fetch 1, owned by core 0, entry core 1': () => costOf(load, three, 1, ofThree),
      'embedded, 1 core, fetch 100': () => costOf(load, embedded, 0, hundred),
      'Valkey, 1 core, fetch 100': () => costOf(load, one, 0, hundred),
      'Valkey, 2 cores, fetch 100, entry core 0': () => costOf(load, two, 0, hundred),
      'Valkey, 3 cores, fetch 100, entry core 0': () => costOf(load, three, 0, hundred),
    };
    for (const [name, costs] of Object.entries(await inTurn(variants, ROUNDS))) {
      const cores = costs[0]?.map((_, core) => `core ${core}: ${textOf(costs, core)} µs`);
      process.stdout.write(`${name}: ${cores?.join(', ')}\n`);
    }
  } finally {
    await load.stop();
    await groups.stop();
  }
}

await measureFetches();
process.exit(0);
