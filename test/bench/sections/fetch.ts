import { scratchDirectory } from '../../system/scratch-directory.ts';
import { type Floor, startHttpFloor } from '../floors.ts';
import type { HttpFloor } from '../http-floor.ts';
import type { ClosedLoad } from '../load-generator.ts';
import { catalogRequest, fetchedPayloads, fetchRequest, wireBody } from '../requests.ts';
import { inTurn, median } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';
import { Service } from '../service.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { medianCpu, medianRatio, type Throughput } from '../throughput.ts';
import { games, writeTrackedServers } from '../tracked-servers.ts';

export const TRACKED = 10_000;
/**
 * Number of HTTP connections of the load generator. With fewer connections, the core and the gateway would wait for
 * each other and not be fully busy.
 */
const CONNECTIONS = 128;
/** A process counts as busy if it uses more than this share of one CPU core. */
const BUSY = 0.9;
const TARGETS = new Map([
  ['fetch 1', 0.5],
  ['fetch 10', 0.4],
  ['fetch 100', 0.1],
  ['catalog', 0.8],
]);

/**
 * Finds a server whose payload has a typical size. Compares the first 100 servers of one game. Resolves to the index of
 * the server whose payload size is closest to the mean size.
 */
async function typicalServer(service: Service): Promise<number> {
  const indexes = Array.from({ length: 100 }, (_, i) => i * games.length);
  const sizes = (await fetchedPayloads(service.http, indexes)).map(payload => JSON.stringify(payload).length);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const distances = sizes.map(size => Math.abs(size - mean));
  return indexes[distances.indexOf(Math.min(...distances))] ?? 0;
}

/** Resolves to the HTTP requests that are measured, keyed by the name of their row in the result table. */
export async function fetchRequests(service: Service): Promise<Map<string, string>> {
  const first = await typicalServer(service);
  const ofOneGame = (size: number) => [
    first,
    ...Array.from({ length: size }, (_, i) => i * games.length).filter(index => index !== first),
  ];
  const requests = [1, 10, 100, 1000].map(
    size => [`fetch ${size}`, fetchRequest(ofOneGame(size).slice(0, size))] as const,
  );
  return new Map([...requests, ['catalog', catalogRequest]]);
}

/**
 * Returns load options for a closed loop: each connection repeats the request when its previous response has arrived.
 */
export function closedLoop(request: string, seconds: number): Omit<ClosedLoad, 'address' | 'servers'> {
  return { requests: { kind: 'same', request }, connections: CONNECTIONS, seconds };
}

/**
 * Returns true if the load generator was too slow to keep the reference server busy. The measured throughput of the
 * reference server is then too low, and gsq looks too good in comparison.
 */
function loadWasLimit(floor: readonly Throughput[]): boolean {
  const busy = (process: string) => {
    const cpu = medianCpu(floor, process);
    const rate = median(floor.map(round => round.rate));
    return cpu === undefined || rate === undefined ? 0 : (cpu * rate) / 1e6;
  };
  return busy('load') > BUSY && busy('floor') < BUSY;
}

async function compare(
  bench: Bench,
  service: Service,
  floor: Floor<HttpFloor>,
  name: string,
  request: string,
): Promise<Table['rows'][0]> {
  const body = await wireBody(service.http, request);
  const bare = await floor.ask({ body });
  const load = closedLoop(request, bench.seconds);
  const pids = { gateway: service.gateway.pid, core: service.core.pid };
  const measured = await inTurn(
    {
      floor: () => bench.load.throughput({ ...load, address: bare, servers: { floor: floor.pid } }),
      gsq: () => bench.load.throughput({ ...load, address: service.http, servers: pids }),
    },
    bench.rounds,
  );
  const ratio = medianRatio(measured.gsq, measured.floor);
  const target = TARGETS.get(name);
  return {
    request: loadWasLimit(measured.floor) ? `${name} *` : name,
    bytes: body.length,
    floor: median(measured.floor.map(({ rate }) => rate)),
    gsq: median(measured.gsq.map(({ rate }) => rate)),
    ratio,
    ...(target === undefined ? {} : judged(ratio, '>=', target)),
    floorCpu: medianCpu(measured.floor, 'floor'),
    gatewayCpu: medianCpu(measured.gsq, 'gateway'),
    coreCpu: medianCpu(measured.gsq, 'core'),
    loadCpu: medianCpu(measured.gsq, 'load'),
  };
}

const columns: Column[] = [
  { key: 'request', heading: 'request' },
  { key: 'bytes', heading: 'bytes' },
  { key: 'floor', heading: 'node:http/s' },
  { key: 'gsq', heading: 'gsq/s' },
  { key: 'ratio', heading: 'ratio', digits: 3 },
  ...judgedColumns,
  { key: 'floorCpu', heading: 'node:http µs', digits: 1 },
  { key: 'gatewayCpu', heading: 'gateway µs', digits: 1 },
  { key: 'coreCpu', heading: 'core µs', digits: 1 },
  { key: 'loadCpu', heading: 'load µs', digits: 1 },
];

/** Compares the REST interface with a minimal node:http server that sends the same response bytes. */
export const fetchSection: Section = async bench => {
  const directory = scratchDirectory();
  const dataBytes = await writeTrackedServers(directory, TRACKED);
  const service = await Service.start(directory);
  const floor = await startHttpFloor();
  try {
    const rows: Table['rows'] = [];
    for (const [name, request] of await fetchRequests(service)) {
      rows.push(await compare(bench, service, floor, name, request));
    }
    const notes = [
      `${CONNECTIONS} connections, ${TRACKED} tracked servers of ${dataBytes.toFixed(0)} bytes of payload on average;`,
      'bytes: of the body as it travels; µs: CPU of that process for each answer.',
    ];
    if (rows.some(({ request }) => String(request).endsWith('*'))) {
      notes.push('*: the load generator was the limit, not node:http; the ratio is too high. Install wrk.');
    }
    return [{ title: 'REST against a bare node:http server', notes, columns, rows }];
  } finally {
    await Promise.all([floor.stop(), service.stop()]);
  }
};
