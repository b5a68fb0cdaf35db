import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import type { BusyProgram } from '../busy-program.ts';
import type { HttpLoadResult } from '../http-load.ts';
import { allButOk, LoadGenerator } from '../load-generator.ts';
import { searchRequest, wireBody } from '../requests.ts';
import { inTurn, median } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';
import { Service } from '../service.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import { writeTrackedServers } from '../tracked-servers.ts';
import { Worker } from '../worker.ts';

/**
 * Query strings of all kinds of searches: without a condition, with words, with other conditions such as a game, and
 * with each sort order.
 */
const QUERIES = [
  '',
  '?sort=-players',
  '?sort=name&page_size=200',
  '?q=vanilla',
  '?q=s',
  '?q=week+eu&sort=name',
  '?q=zombies&status=online&sort=-players',
  '?game=minecraft&players_min=5',
  '?map=Altis',
  '?version=1.12.3&password=false',
];
const FETCHES_PER_SECOND = 500;
const SEARCHES_PER_SECOND = 10;
/**
 * Number of connections for fetches and for searches: enough that one is always free when the next request is due. The
 * search connections are opened while fetches are measured. More search connections would disturb this measurement.
 */
const CONNECTIONS = { fetches: 256, searches: 32, warmUp: 256 };
/**
 * A round of the bench section `search` takes this many times as long as a round of other sections. By default, a
 * round of `search` takes 10 s instead of 1 s, which is enough for about a hundred searches.
 */
const LONGER = 10;
/**
 * Searches before the measurement, so that V8 compiles the code. The measurement itself sends only ten searches a
 * second, which would be too few.
 */
const WARM_UP = { perSecond: 200, seconds: 10, query: '?page_size=50&status=online' };
/**
 * CPU time of one search over a million servers, ms. For comparison, the bench also measures fetches while a program
 * other than gsq uses this much CPU time ten times a second.
 */
const SEARCH_CPU_MS = 30;
const INDEX_MS = 120_000;
const BETWEEN_LOOKS_MS = 200;
const TARGETS = { searchP99: 100, fetchRatio: 1.2 };

const columns: Column[] = [
  { key: 'what', heading: 'what' },
  { key: 'rate', heading: 'offered/s' },
  { key: 'p50', heading: 'p50 ms', digits: 2 },
  { key: 'p99', heading: 'p99 ms', digits: 2 },
  { key: 'ratio', heading: 'p99 to alone', digits: 2 },
  ...judgedColumns,
  { key: 'failed', heading: 'not answered 200' },
];

/** Results of one measurement round. `searches` is undefined if the round had only fetches. */
interface Round {
  fetches: HttpLoadResult;
  searches?: HttpLoadResult;
}

/** Waits until a search finds all tracked servers. Then the search index is completely filled. */
async function untilIndexed(address: string, tracked: number): Promise<void> {
  const deadline = performance.now() + INDEX_MS;
  for (;;) {
    try {
      const answer = JSON.parse(
        gunzipSync(await wireBody(address, searchRequest('?page_size=1'))).toString(),
      );
      if (answer.total_size === tracked) return;
      throw new Error(`a search found ${answer.total_size} servers instead of ${tracked}`);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(BETWEEN_LOOKS_MS);
    }
  }
}

function rowOf(what: string, rate: number, rounds: readonly HttpLoadResult[]): Table['rows'][0] {
  return {
    what,
    rate,
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    failed: rounds.reduce((sum, round) => sum + allButOk(round), 0),
  };
}

interface Loads {
  searching: LoadGenerator;
  busy: Worker<BusyProgram, void>;
}

async function measure(bench: Bench, address: string, { searching, busy }: Loads): Promise<Table> {
  const length = { address, seconds: LONGER * bench.seconds };
  const fetch = (): Promise<HttpLoadResult> =>
    bench.load.run({
      ...length,
      connections: CONNECTIONS.fetches,
      requests: { kind: 'tracked', servers: bench.servers },
      rate: FETCHES_PER_SECOND,
    });
  const search = (): Promise<HttpLoadResult> =>
    searching.run({
      ...length,
      connections: CONNECTIONS.searches,
      requests: { kind: 'any', requests: QUERIES.map(searchRequest) },
      rate: SEARCHES_PER_SECOND,
    });
  await searching.run({
    ...length,
    connections: CONNECTIONS.warmUp,
    seconds: WARM_UP.seconds,
    requests: { kind: 'same', request: searchRequest(WARM_UP.query) },
    rate: WARM_UP.perSecond,
  });
  const { alone, beside, busyBeside } = await inTurn<'alone' | 'beside' | 'busyBeside', Round>(
    {
      alone: async () => ({ fetches: await fetch() }),
      beside: async () => {
        const [fetches, searches] = await Promise.all([fetch(), search()]);
        return { fetches, searches };
      },
      busyBeside: async () => {
        const work = { perSecond: SEARCHES_PER_SECOND, milliseconds: SEARCH_CPU_MS };
        const [fetches] = await Promise.all([fetch(), busy.ask({ seconds: length.seconds, ...work })]);
        return { fetches };
      },
    },
    bench.rounds,
  );
  const searches = beside.flatMap(round => round.searches ?? []);
  const ratioOf = (rounds: readonly Round[]): number | undefined =>
    median(rounds.map(({ fetches }, round) => fetches.p99 / (alone[round]?.fetches.p99 ?? Number.NaN)));
  const ratio = ratioOf(beside);
  const searchRow = rowOf('searches', SEARCHES_PER_SECOND, searches);
  const searchP99 = median(searches.map(({ p99 }) => p99));
  const fetches = (rounds: readonly Round[]): HttpLoadResult[] => rounds.map(round => round.fetches);
  return {
    title: `Search of ${bench.servers} servers over REST`,
    notes: [
      'From when a request was due to its answer, through the gateway. Fetches of one server, random over all tracked,',
      `alone and beside searches in turn. Searches: ${QUERIES.length} kinds, chosen at random.`,
      `A program: uses ${SEARCH_CPU_MS} ms of CPU time ${SEARCHES_PER_SECOND} times a second, at the lowest priority, and does nothing else.`,
    ],
    columns,
    rows: [
      rowOf('fetches alone', FETCHES_PER_SECOND, fetches(alone)),
      {
        ...rowOf('fetches beside searches', FETCHES_PER_SECOND, fetches(beside)),
        ratio,
        ...judged(ratio, '<=', TARGETS.fetchRatio, 1),
      },
      { ...searchRow, ...judged(searchP99, '<=', TARGETS.searchP99, 0) },
      {
        ...rowOf('fetches beside a program', FETCHES_PER_SECOND, fetches(busyBeside)),
        ratio: ratioOf(busyBeside),
      },
    ],
  };
}

/** Measures searches over REST. Also measures the latency of fetches, both without searches and during searches. */
export const searchSection: Section = async bench => {
  const directory = scratchDirectory();
  await writeTrackedServers(directory, bench.servers);
  const service = await Service.start(directory);
  try {
    await untilIndexed(service.http, bench.servers);
    const searching = await LoadGenerator.start();
    const busy = await Worker.start<BusyProgram, void>(new URL('../busy-program.ts', import.meta.url));
    try {
      return [await measure(bench, service.http, { searching, busy })];
    } finally {
      await busy.stop();
      await searching.stop();
    }
  } finally {
    await service.stop();
  }
};
