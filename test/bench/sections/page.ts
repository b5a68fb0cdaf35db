import { gzipSync } from 'node:zlib';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { startHttpFloor } from '../floors.ts';
import type { HttpLoadResult } from '../http-load.ts';
import { LoadGenerator } from '../load-generator.ts';
import { pageRequest } from '../requests.ts';
import { inTurn, median } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';
import { Service } from '../service.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { addressAt, gameAt, writeTrackedServers } from '../tracked-servers.ts';

const FETCHES_PER_SECOND = 500;
const PAGES_PER_SECOND = 1_000;
/**
 * Numbers of connections for fetches and for pages: so many that one is always free when the next request is due. The
 * page connections are opened while fetches are measured. More page connections would disturb this measurement.
 */
const CONNECTIONS = { fetches: 256, pages: 128 };
/** Length of a measurement round of the bench section `page`, as a multiple of the usual length of a round. */
const LONGER = 5;
/** Number of simulated callers that request pages and images. Each stays below its limit of 20 requests a second. */
const CALLERS = 400;
const TARGET = { fetchRatio: 1.5 };
/** The body of every answer of the minimal node:http server: about as long as the answer to a fetch of one server. */
const FLOOR_BODY = gzipSync(JSON.stringify({ status: 'online', name: 'a game server'.repeat(20) }));

const columns: Column[] = [
  { key: 'what', heading: 'what' },
  { key: 'rate', heading: 'offered/s' },
  { key: 'answered', heading: 'answered/s', digits: 0 },
  { key: 'refused', heading: 'refused/s', digits: 0 },
  { key: 'p50', heading: 'p50 ms', digits: 2 },
  { key: 'p99', heading: 'p99 ms', digits: 2 },
  { key: 'ratio', heading: 'p99 to alone', digits: 2 },
  ...judgedColumns,
  { key: 'other', heading: 'other answers' },
];

/**
 * Builds requests for pages and images, as browsers and other sites send them. Of ten requests, two ask for a list of
 * servers, four for the page of one server, and four for an image.
 */
function pageRequests(servers: number): string[] {
  return Array.from({ length: CALLERS }, (_, i) => {
    const index = (i * 7919) % servers;
    const name = `${gameAt(index)}/${encodeURIComponent(addressAt(index))}`;
    const kinds = ['/', `/?game=${gameAt(i)}`, ...Array(4).fill(`/server/${name}`)];
    const paths = [...kinds, ...Array(2).fill(`/badge/${name}.svg`), ...Array(2).fill(`/card/${name}.svg`)];
    return pageRequest(paths[i % paths.length] ?? '/', `198.18.${i >> 8}.${i & 255}`);
  });
}

function rowOf(what: string, rate: number, rounds: readonly HttpLoadResult[]): Table['rows'][0] {
  const perSecond = (count: (round: HttpLoadResult) => number): number =>
    median(rounds.map(round => count(round) / round.seconds)) ?? Number.NaN;
  return {
    what,
    rate,
    answered: perSecond(({ ok }) => ok),
    refused: perSecond(({ refused }) => refused),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    other: rounds.reduce((sum, { other, broken, unanswered }) => sum + other + broken + unanswered, 0),
  };
}

interface Round {
  fetches: HttpLoadResult;
  pages?: HttpLoadResult;
}

/** Addresses of the two HTTP servers that get the same load: gsq, and a minimal node:http server. */
interface Measured {
  service: string;
  floor: string;
}

async function measure(bench: Bench, { service, floor }: Measured, visitors: LoadGenerator): Promise<Table> {
  const seconds = LONGER * bench.seconds;
  const fetch = (address: string): Promise<HttpLoadResult> =>
    bench.load.run({
      address,
      seconds,
      connections: CONNECTIONS.fetches,
      requests: { kind: 'tracked', servers: bench.servers },
      rate: FETCHES_PER_SECOND,
    });
  const visit = (address: string): Promise<HttpLoadResult> =>
    visitors.run({
      address,
      seconds,
      connections: CONNECTIONS.pages,
      requests: { kind: 'any', requests: pageRequests(bench.servers) },
      rate: PAGES_PER_SECOND,
    });
  const alone = async (address: string): Promise<Round> => ({ fetches: await fetch(address) });
  const both = async (address: string, visited = address): Promise<Round> => {
    const [fetches, pages] = await Promise.all([fetch(address), visit(visited)]);
    return { fetches, pages };
  };
  // Sends page requests before the measurement, so that V8 compiles the code of the pages.
  await visit(service);
  const rounds = await inTurn<'alone' | 'beside' | 'apart' | 'floorAlone' | 'floorBeside', Round>(
    {
      alone: () => alone(service),
      beside: () => both(service),
      apart: () => both(service, floor),
      floorAlone: () => alone(floor),
      floorBeside: () => both(floor),
    },
    bench.rounds,
  );
  const ratioOf = (beside: readonly Round[], base: readonly Round[]): number | undefined =>
    median(beside.map(({ fetches }, round) => fetches.p99 / (base[round]?.fetches.p99 ?? Number.NaN)));
  const ratio = ratioOf(rounds.beside, rounds.alone);
  const fetches = (some: readonly Round[]): HttpLoadResult[] => some.map(round => round.fetches);
  return {
    title: `Pages beside fetches, ${bench.servers} servers`,
    notes: [
      'Fetches of one server, random over all tracked, alone and beside requests for pages and images in turn.',
      `${CALLERS} callers ask for the list, for pages of servers, for badges and for cards, at a fixed rate.`,
      'node:http: the same requests to a minimal server, which answers each of them at once with the same bytes.',
      'Pages of node:http: fetches from gsq, while the minimal server gets the requests for pages and images.',
    ],
    columns,
    rows: [
      rowOf('fetches alone', FETCHES_PER_SECOND, fetches(rounds.alone)),
      {
        ...rowOf('fetches beside pages', FETCHES_PER_SECOND, fetches(rounds.beside)),
        ratio,
        ...judged(ratio, '<=', TARGET.fetchRatio, 1),
      },
      {
        ...rowOf('fetches beside pages of node:http', FETCHES_PER_SECOND, fetches(rounds.apart)),
        ratio: ratioOf(rounds.apart, rounds.alone),
      },
      rowOf(
        'pages and images',
        PAGES_PER_SECOND,
        rounds.beside.flatMap(({ pages }) => pages ?? []),
      ),
      rowOf('node:http, fetches alone', FETCHES_PER_SECOND, fetches(rounds.floorAlone)),
      {
        ...rowOf('node:http, fetches beside pages', FETCHES_PER_SECOND, fetches(rounds.floorBeside)),
        ratio: ratioOf(rounds.floorBeside, rounds.floorAlone),
      },
    ],
  };
}

/** Measures the latency of fetches twice: alone, and while other callers request pages and images. */
export const pageSection: Section = async bench => {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, bench.servers);
  const service = await Service.start(directory, { GSQ_PAGE: 'on', GSQ_TRUST_PROXY: '1' });
  try {
    const visitors = await LoadGenerator.start();
    const floor = await startHttpFloor();
    try {
      const addresses = { service: service.http, floor: await floor.ask({ body: FLOOR_BODY }) };
      return [await measure(bench, addresses, visitors)];
    } finally {
      await floor.stop();
      await visitors.stop();
    }
  } finally {
    await service.stop();
  }
};
