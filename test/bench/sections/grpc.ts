import { gsqV1 } from '../../../proto/descriptors.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { type Floor, startGrpcFloor } from '../floors.ts';
import type { GrpcFloor } from '../grpc-floor.ts';
import type { GrpcLoad, GrpcLoadResult } from '../grpc-load.ts';
import { inTurn, median } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';
import { credentialHeaders, Service } from '../service.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { aroundCpu, medianCpu, medianRatio, type Throughput, throughputOf } from '../throughput.ts';
import { addressAt, gameAt, games, writeTrackedServers } from '../tracked-servers.ts';
import { Worker } from '../worker.ts';

const TRACKED = 10_000;
/** Number of concurrent calls, keyed by method: enough to keep both client and server busy. */
const IN_FLIGHT = { FetchServers: 64, FetchStream: 128 };
const STREAMS = 4;
/**
 * Ids of the calls on a FetchStream: the first id, and the number of ids. Each id takes two bytes in protobuf, so all
 * requests have the same length. There are enough ids for all open calls.
 */
const IDS = { first: 128, count: 128 };
const TARGETS = { FetchServers: 0.85, FetchStream: 0.8 };

export type Caller = Worker<GrpcLoad, GrpcLoadResult>;
type Ask = Omit<GrpcLoad, 'address' | 'seconds'>;

const { FetchServers, FetchStream } = gsqV1.ServerService.service;
/** gRPC metadata with the credentials of the token that the bench uses. */
export const metadata = Object.fromEntries(
  Object.entries(credentialHeaders).map(([name, value]) => [name.toLowerCase(), value]),
);

function groupOf(size: number) {
  const servers = Array.from({ length: size }, (_, i) => addressAt(i * games.length));
  return { servers: [{ gameId: gameAt(0), servers }] };
}

function unaryAsk(size: number): Ask {
  const requests = [FetchServers.requestSerialize(groupOf(size))];
  return { path: FetchServers.path, requests, metadata, streams: 0, inFlight: IN_FLIGHT.FetchServers };
}

function streamAsk(size: number): Ask {
  const requests = Array.from({ length: IDS.count }, (_, i) =>
    FetchStream.requestSerialize({ calls: [{ id: IDS.first + i, fetch: groupOf(size) }] }),
  );
  return { path: FetchStream.path, requests, metadata, streams: STREAMS, inFlight: IN_FLIGHT.FetchStream };
}

/** Measured gRPC calls, one for each row of the result table. `size` is the number of servers that a call requests. */
export const grpcCalls = (['FetchServers', 'FetchStream'] as const).flatMap(name =>
  [1, 10, 100].map(size => ({
    name,
    row: `${name} ${size}`,
    size,
    ask: name === 'FetchServers' ? unaryAsk(size) : streamAsk(size),
  })),
);

/**
 * Makes one call to the service. Resolves to the response message. Rejects if the response does not contain all
 * requested servers.
 */
export async function sample(caller: Caller, address: string, ask: Ask, size: number): Promise<Uint8Array> {
  const once = { ...ask, requests: ask.requests.slice(0, 1), inFlight: 1, streams: Math.min(ask.streams, 1) };
  const { response } = await caller.ask({ ...once, address, seconds: 0 });
  const bytes = Buffer.from(response);
  const answered =
    ask.streams === 0
      ? FetchServers.responseDeserialize(bytes).results.filter(({ payload }) => payload).length
      : Object.values(
          JSON.parse(FetchStream.responseDeserialize(bytes).replies[0]?.fetched?.body.toString() ?? '{}'),
        ).filter(value => typeof value === 'object' && value !== null && 'players' in value).length;
  if (answered !== size) throw new Error(`${ask.path} told of ${answered} servers instead of ${size}`);
  return bytes;
}

interface Processes {
  service: Service;
  caller: Caller;
  floor: Floor<GrpcFloor>;
}

interface Side {
  address: string;
  servers: Record<string, number>;
}

/**
 * Runs one round of load against gsq or the reference server. A new call is sent when an earlier call is answered.
 * Rejects if the responses are shorter than expected.
 */
export async function throughput(
  caller: Caller,
  side: Side,
  load: Omit<GrpcLoad, 'address'>,
  responseBytes: number,
): Promise<Throughput> {
  const run = () => caller.ask({ ...load, address: side.address });
  const { result, cpu } = await aroundCpu(side.servers, run);
  // Failed and refused calls have shorter responses than successful calls. So a mean response length below 90 % of the
  // expected length shows that too many calls failed.
  const mean = result.bytes / result.calls;
  if (mean < responseBytes * 0.9) throw new Error(`answers of ${mean} bytes instead of ${responseBytes}`);
  return throughputOf(result.calls, result.seconds, { ...cpu, load: result.cpu });
}

async function compare(
  bench: Bench,
  { service, caller, floor }: Processes,
  { name, row, size, ask }: (typeof grpcCalls)[number],
): Promise<Table['rows'][0]> {
  const response = await sample(caller, service.grpc, ask, size);
  const address = await floor.ask({ response });
  const load = { ...ask, seconds: bench.seconds };
  const echo = { address, servers: { floor: floor.pid } };
  const gsq = { address: service.grpc, servers: { core: service.core.pid } };
  const measured = await inTurn(
    {
      floor: () => throughput(caller, echo, load, response.length),
      gsq: () => throughput(caller, gsq, load, response.length),
    },
    bench.rounds,
  );
  const ratio = medianRatio(measured.gsq, measured.floor);
  return {
    call: row,
    bytes: response.length,
    floor: median(measured.floor.map(({ rate }) => rate)),
    gsq: median(measured.gsq.map(({ rate }) => rate)),
    ratio,
    ...judged(ratio, '>=', TARGETS[name]),
    floorCpu: medianCpu(measured.floor, 'floor'),
    coreCpu: medianCpu(measured.gsq, 'core'),
    loadCpu: medianCpu(measured.gsq, 'load'),
  };
}

const columns: Column[] = [
  { key: 'call', heading: 'call' },
  { key: 'bytes', heading: 'bytes' },
  { key: 'floor', heading: 'echo/s' },
  { key: 'gsq', heading: 'gsq/s' },
  { key: 'ratio', heading: 'ratio', digits: 3 },
  ...judgedColumns,
  { key: 'floorCpu', heading: 'echo µs', digits: 1 },
  { key: 'coreCpu', heading: 'core µs', digits: 1 },
  { key: 'loadCpu', heading: 'caller µs', digits: 1 },
];

/**
 * Compares the public gRPC interface with a minimal grpc-js server. That server sends the same response bytes and
 * decodes no message.
 */
export const grpcSection: Section = async bench => {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, TRACKED);
  const service = await Service.start(directory);
  const caller: Caller = await Worker.start(new URL('../grpc-load.ts', import.meta.url));
  const floor = await startGrpcFloor();
  const processes = { service, caller, floor };
  try {
    const rows: Table['rows'] = [];
    for (const call of grpcCalls) rows.push(await compare(bench, processes, call));
    const notes = [
      `One connection, ${IN_FLIGHT.FetchServers} calls under way; FetchStream: ${IN_FLIGHT.FetchStream} over ${STREAMS} streams, one call in each message sent.`,
      'The caller sends and takes bytes, to both sides alike; bytes: of the response message.',
    ];
    return [{ title: 'gRPC against a plain grpc-js echo', notes, columns, rows }];
  } finally {
    await Promise.all([caller.stop(), floor.stop(), service.stop()]);
  }
};
