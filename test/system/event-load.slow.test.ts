/**
 * Tests many streams of server changes at the same time, with real processes: server-sent events of the gateway, and
 * WatchServers on the public gRPC port. The following command runs the test for ten minutes, which is too long for the
 * test runner:
 *
 *   EVENT_LOAD=long node --import ./runtime/typescript.mjs test/system/event-load.slow.test.ts
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { HttpLoadResult } from '../bench/http-load.ts';
import { allButOk, LoadGenerator } from '../bench/load-generator.ts';
import { mebibytes, residentOf } from '../bench/process-usage.ts';
import { fetchHead } from '../bench/requests.ts';
import { readExposition } from '../deploy/exposition.ts';
import { metricsText } from '../deploy/scrape.ts';
import { ChangingFleet, GAME } from './changing-fleet.ts';
import { type ChangeReader, WatchConnection } from './event-readers.ts';
import { OPS_ADDR } from './stack-settings.ts';
import { until } from './until.ts';

/**
 * Number of server-sent event streams whose clients read each change immediately. The test opens the same number of
 * WatchServers streams whose clients read each change immediately.
 */
const STREAMS = 1_000;
const SECONDS = process.env.EVENT_LOAD === 'long' ? 600 : 80;
/** Number of servers that each stream of changes follows. */
const FOLLOWED = 10;
const CHANGES_PER_SECOND = 1_000;
const STREAMS_PER_TOKEN = 20;
/**
 * Number of server-sent event streams whose clients read nothing at first. The test opens the same number of
 * WatchServers streams whose clients read nothing at first.
 */
const UNREAD = 4;
/**
 * Number of servers that a WatchServers stream follows if its client reads nothing at first. It is the maximum for one
 * request.
 */
const FOLLOWED_UNREAD = 1_000;
const LARGE = { servers: 100_000, interval: '60s' };
/**
 * The fake game servers for clients that read nothing at first. The 5,000 servers change 1,000 times a second in total:
 * each server changes every five seconds.
 */
const SMALL = { servers: 5_000, interval: '3s' };
/** Number of changes after which the slow clients begin to read: four changes of each of the 5,000 servers. */
const CHANGES_UNREAD = 20_000;
/**
 * Durations in seconds. WARM_UP_SECONDS: the fetches that fill the caches before the measurement. ALONE_SECONDS: the
 * measurement without streams.
 */
const WARM_UP_SECONDS = 5;
const ALONE_SECONDS = 20;
const FETCHES_PER_SECOND = 50;
/**
 * Number of connections for fetches. 500 connections allow 50 fetches per second, even if an answer takes 10 seconds.
 */
const FETCH_CONNECTIONS = 500;
/** Time after which the test fails if a client of a stream has not received the newest changes yet, in milliseconds. */
const PATIENCE_MS = 180_000;
/**
 * Maximum growth of the memory of a process, in MiB. If gsq stored all changes for clients that never read, the growth
 * would exceed 400 MiB.
 */
const MOST_GROWTH_MIB = 80;
const MEASURED = ['core', 'gateway'] as const;

type Close = () => unknown;

/**
 * Returns an empty list of clean-up functions. When the test ends, the functions that were added to the list are
 * called, the last one first.
 */
function closedAtEnd(t: TestContext): Close[] {
  const list: Close[] = [];
  t.after(async () => {
    for (const close of list.toReversed()) await close();
  });
  return list;
}

/**
 * Opens streams whose clients read each change immediately. Each token opens 20 server-sent event streams and 20
 * WatchServers streams.
 */
async function openReaders(fleet: ChangingFleet, closing: Close[]): Promise<ChangeReader[]> {
  const readers: ChangeReader[] = [];
  const tokens = await fleet.createTokens(STREAMS / STREAMS_PER_TOKEN);
  for (const [i, credentials] of tokens.entries()) {
    const connection = new WatchConnection(fleet.stack.grpc);
    closing.push(() => connection.close());
    const numbers = Array.from({ length: STREAMS_PER_TOKEN }, (_, n) => i * STREAMS_PER_TOKEN + n);
    const opened = await Promise.all(
      numbers.flatMap(n => {
        const followed = fleet.followedBy(n, FOLLOWED);
        const query = followed.map(server => `server=${GAME}/${server}`).join('&');
        return [fleet.openEvents(query, credentials), fleet.openWatch(connection, followed, credentials)];
      }),
    );
    await Promise.all(opened.map(reader => reader.untilSnapshot(PATIENCE_MS)));
    readers.push(...opened);
  }
  closing.push(() => {
    for (const reader of readers) reader.close();
  });
  return readers;
}

/**
 * Opens streams whose clients read nothing at first. Each server-sent event stream follows all servers, and each
 * WatchServers stream follows 1,000 servers.
 */
async function openUnread(fleet: ChangingFleet, closing: Close[]): Promise<ChangeReader[]> {
  const [credentials = {}] = await fleet.createTokens(1);
  const connection = new WatchConnection(fleet.stack.grpc);
  closing.push(() => connection.close());
  const isPaused = { isPaused: true };
  const readers: ChangeReader[] = [];
  for (let i = 0; i < UNREAD; i++) {
    const followed = fleet.followedBy(i, FOLLOWED_UNREAD);
    readers.push(fleet.openWatch(connection, followed, credentials, isPaused));
    readers.push(await fleet.openEvents(`game=${GAME}`, credentials, isPaused));
  }
  closing.push(() => {
    for (const reader of readers) reader.close();
  });
  return readers;
}

/**
 * Sends fetch requests at a fixed rate, each for ten servers. Error answers are allowed, because a busy core refuses
 * fetches. The test fails if an answer is missing.
 */
async function loadFetches(
  load: LoadGenerator,
  fleet: ChangingFleet,
  seconds: number,
): Promise<HttpLoadResult> {
  const body = JSON.stringify({ servers: [{ game_id: GAME, servers: fleet.followedBy(1, FOLLOWED) }] });
  const request = `${fetchHead}${body.length}\r\n\r\n${body}`;
  const result = await load.run({
    address: fleet.stack.http,
    requests: { kind: 'same', request },
    connections: FETCH_CONNECTIONS,
    rate: FETCHES_PER_SECOND,
    seconds,
  });
  const { notConnected, broken, unanswered } = result;
  assert.equal(notConnected + broken + unanswered, 0, JSON.stringify(result));
  return result;
}

function textOf(result: HttpLoadResult): string {
  const { p50, p99, ok } = result;
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${allButOk(result)} of ${ok + allButOk(result)} refused`;
}

/** Returns the number of open event streams of the gateway. */
async function openEventStreams({ stack }: ChangingFleet): Promise<number | undefined> {
  const text = await metricsText(stack.process('gateway').address(OPS_ADDR.gateway));
  return readExposition(text).samples.find(({ name }) => name === 'gsq_gateway_event_streams')?.value;
}

/** Returns the resident memory of the core and of the gateway, in MiB, without mapped files. */
function memory({ stack }: ChangingFleet): number[] {
  return MEASURED.map(name => mebibytes(residentOf(stack.process(name).child.pid)?.anonymous) ?? 0);
}

/**
 * Stops the changes of the simulated servers. Resolves when each client has the newest state of each server that it
 * follows.
 */
async function untilAllNewest({ prober }: ChangingFleet, readers: readonly ChangeReader[]): Promise<void> {
  prober.limit(0);
  await until(
    'all reports recorded',
    () => prober.isRecorded,
    recorded => recorded,
  );
  for (const reader of readers) {
    await until(
      'the newest states',
      () => [...reader.players].filter(([server, players]) => players !== prober.players.get(server)).length,
      old => old === 0,
      PATIENCE_MS,
    );
  }
}

function checkGrowth(t: TestContext, before: readonly number[], after: readonly number[]): void {
  for (const [i, name] of MEASURED.entries()) {
    const growth = (after[i] ?? 0) - (before[i] ?? 0);
    t.diagnostic(`${name}: ${after[i]?.toFixed(0)} MiB, grew by ${growth.toFixed(0)} MiB`);
    assert.ok(growth < MOST_GROWTH_MIB, `${name} grew by ${growth} MiB`);
  }
}

test('clients that read their event streams get every change, and clients that never read do not increase the memory use of gsq', async t => {
  const closing = closedAtEnd(t);
  const fleet = await ChangingFleet.start(LARGE, CHANGES_PER_SECOND);
  closing.push(() => fleet.stop());
  const load = await LoadGenerator.start();
  closing.push(() => load.stop());
  await loadFetches(load, fleet, WARM_UP_SECONDS);
  const alone = await loadFetches(load, fleet, ALONE_SECONDS);
  const readers = await openReaders(fleet, closing);
  const unread = await openUnread(fleet, closing);
  await loadFetches(load, fleet, WARM_UP_SECONDS);
  const [reported, before] = [fleet.prober.reports, memory(fleet)];
  const beside = await loadFetches(load, fleet, SECONDS);
  const [changes, after] = [fleet.prober.reports - reported, memory(fleet)];
  await untilAllNewest(fleet, readers);
  const ratio = (beside.p99 / alone.p99).toFixed(2);
  t.diagnostic(`${readers.length} streams, ${Math.round(changes / SECONDS)} changes a second`);
  t.diagnostic(`fetches without streams: ${textOf(alone)}`);
  t.diagnostic(`fetches beside the streams: ${textOf(beside)}; ratio of p99: ${ratio} (target: at most 2)`);
  for (const { ending, gaps, setbacks, changes: received } of readers) {
    assert.deepEqual({ ending, gaps, setbacks }, { ending: undefined, gaps: 0, setbacks: 0 });
    assert.ok(received > 0);
  }
  checkGrowth(t, before, after);
  await until(
    'the end of the streams that are not read',
    () => openEventStreams(fleet),
    count => count === STREAMS,
    PATIENCE_MS,
  );
  for (const reader of unread) {
    reader.resume();
    await reader.untilEnded(PATIENCE_MS);
    t.diagnostic(`not read: ${reader.ending} after ${reader.changes} changes`);
  }
});

test('a client that begins to read its event stream late gets only the newest state of each server, not every change', async t => {
  const closing = closedAtEnd(t);
  const fleet = await ChangingFleet.start(SMALL, CHANGES_PER_SECOND);
  closing.push(() => fleet.stop());
  const readers = await openUnread(fleet, closing);
  const reported = fleet.prober.reports;
  await until(
    'changes that were not read',
    () => fleet.prober.reports - reported,
    count => count >= CHANGES_UNREAD,
    PATIENCE_MS,
  );
  for (const reader of readers) {
    reader.resume();
    await until(
      'changes that were left out',
      () => [reader.hasSnapshot, reader.gaps, reader.ending] as const,
      ([hasSnapshot, gaps]) => hasSnapshot && gaps > 0,
      PATIENCE_MS,
    );
  }
  await untilAllNewest(fleet, readers);
  for (const { setbacks } of readers) assert.equal(setbacks, 0);
});
