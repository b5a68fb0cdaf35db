/**
 * Many streams of changes at the same time, with real processes: server-sent events through the gateway, and
 * WatchServers on the public gRPC port. By default, opens 100 streams of each kind for 80 seconds. With the environment
 * variable EVENT_LOAD=full, opens 1,000 of each kind for 80 seconds, which follow 10 of 100,000 servers each. With
 * EVENT_LOAD=long, runs the same for ten minutes. Prints the memory of the processes, and the latency of fetches while
 * the streams are open.
 */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys, internalMetadata } from '../../proto/clients.ts';
import type { CreateTokenResponse__Output } from '../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import { mebibytes, residentOf } from '../bench/process-usage.ts';
import { unary } from '../core/rpc/answer.ts';
import { readExposition } from '../deploy/exposition.ts';
import { metricsText } from '../deploy/scrape.ts';
import { ask } from '../gateway/ask.ts';
import { ChangingServers } from './changing-servers.ts';
import { type ChangeReader, EventsReader, type ReaderOptions, WatchConnection } from './event-readers.ts';
import { Stack } from './stack.ts';
import { bootstrap, INTERNAL_SECRET, OPS_ADDR } from './stack-settings.ts';
import { until } from './until.ts';

const SIZES = {
  small: { streams: 100, servers: 5_000, seconds: 80, interval: '3s' },
  full: { streams: 1_000, servers: 100_000, seconds: 80, interval: '60s' },
  long: { streams: 1_000, servers: 100_000, seconds: 600, interval: '60s' },
};
const size = process.env.EVENT_LOAD;
/**
 * `streams`: number of streams of each kind. `servers`: number of tracked servers. `interval`: probe interval of these
 * servers.
 */
const { streams, servers, seconds, interval } = SIZES[size === 'full' || size === 'long' ? size : 'small'];
/** Number of servers that each stream follows. */
const FOLLOWED = 10;
const CHANGES_PER_SECOND = 1_000;
const STREAMS_PER_TOKEN = 20;
/** Number of streams of each kind whose clients read nothing at first. Half of these clients begin to read later. */
const UNREAD = 4;
/**
 * After this number of reports, some of the clients that did not read begin to read. In the small form of the test,
 * each server has then changed four times.
 */
const REPORTS_UNREAD = 20_000;
/** Maximum number of servers that one request can name. */
const FOLLOWED_UNREAD = 1_000;
const ADDED_AT_ONCE = 1_000;
/** Maximum time until all servers are online, or until all readers have the last changes, in milliseconds. */
const PATIENCE_MS = 180_000;
/**
 * Maximum growth of a process, in MiB. Two clients of the gateway never read, and miss about 1.4 MB per second each. A
 * process that kept all these changes would grow by more than 200 MiB in 80 seconds.
 */
const MOST_GROWTH_MIB = 80;
const MEASURED = ['core', 'gateway'] as const;
const GAME = 'csgo';

const addressOf = (i: number): string => `127.${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}:27015`;
const followedBy = (stream: number, count = FOLLOWED): string[] =>
  Array.from({ length: count }, (_, i) => addressOf((stream * 7_919 + i * 1_049) % servers));

type Credentials = Record<string, string>;

let stack: Stack;
let prober: ChangingServers;

before(async () => {
  stack = await Stack.start({ env: { GSQ_PROBE_INTERVAL: interval }, processes: ['core', 'gateway'] });
  prober = new ChangingServers(stack.internal);
  await addServers();
  await until(
    'all servers online',
    () => prober.players.size,
    count => count === servers,
    PATIENCE_MS,
  );
  prober.limit(CHANGES_PER_SECOND);
});

after(async () => {
  prober?.close();
  await stack?.stop();
});

async function addServers(): Promise<void> {
  const admin = clients.admin(stack.internal);
  const metadata = internalMetadata(INTERNAL_SECRET);
  for (let first = 0; first < servers; first += ADDED_AT_ONCE) {
    const group = Array.from({ length: ADDED_AT_ONCE }, (_, i) => addressOf(first + i));
    const request = { servers: [{ gameId: GAME, servers: group }] };
    await unary(done => admin.addServers(request, metadata, done));
  }
  admin.close();
}

async function createTokens(count: number): Promise<Credentials[]> {
  const admin = clients.admin(stack.internal);
  const metadata = internalMetadata(INTERNAL_SECRET);
  const { tier, email } = bootstrap;
  const created: Credentials[] = [];
  for (let i = 0; i < count; i++) {
    const { secret } = await unary<CreateTokenResponse__Output>(done =>
      admin.createToken({ tier, email }, metadata, done),
    );
    created.push(credentialsOf(secret));
  }
  admin.close();
  return created;
}

function credentialsOf(secret: string): Credentials {
  const { token, tier, email } = credentialKeys;
  return { [token]: secret, [tier]: bootstrap.tier, [email]: bootstrap.email };
}

function metadataOf(credentials: Credentials): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(credentials)) metadata.set(key, value);
  return metadata;
}

const openEvents = (
  query: string,
  credentials: Credentials,
  options?: ReaderOptions,
): Promise<EventsReader> => EventsReader.open(stack.http, `/v1/events?${query}`, credentials, options);

/** Opens the streams whose clients read. Uses one token for each 20 streams of a kind. */
async function openReaders(t: TestContext): Promise<ChangeReader[]> {
  const readers: ChangeReader[] = [];
  const tokens = await createTokens(Math.ceil(streams / STREAMS_PER_TOKEN));
  for (const [i, credentials] of tokens.entries()) {
    const connection = new WatchConnection(stack.grpc);
    t.after(() => connection.close());
    const numbers = Array.from({ length: STREAMS_PER_TOKEN }, (_, n) => i * STREAMS_PER_TOKEN + n);
    const metadata = metadataOf(credentials);
    const opened = await Promise.all(
      numbers.flatMap(n => {
        const followed = followedBy(n);
        const query = followed.map(server => `server=${GAME}/${server}`).join('&');
        return [openEvents(query, credentials), connection.open(GAME, followed, metadata)];
      }),
    );
    await Promise.all(opened.map(reader => reader.untilSnapshot(PATIENCE_MS)));
    readers.push(...opened);
  }
  return readers;
}

/**
 * Opens streams whose clients do not read: some through the gateway that follow all servers, and equally many at the
 * core that follow 1,000 servers.
 */
async function openUnread(t: TestContext): Promise<ChangeReader[]> {
  const [credentials = {}] = await createTokens(1);
  const connection = new WatchConnection(stack.grpc);
  t.after(() => connection.close());
  const isPaused = { isPaused: true };
  const readers: ChangeReader[] = [];
  for (let i = 0; i < UNREAD; i++) {
    const followed = followedBy(i, FOLLOWED_UNREAD);
    readers.push(connection.open(GAME, followed, metadataOf(credentials), isPaused));
    readers.push(await openEvents(`game=${GAME}`, credentials, isPaused));
  }
  return readers;
}

/** Fetches ten servers again and again until `isOver` returns true. Returns the 99th percentile of the latency, ms. */
async function fetchLatency(isOver: () => boolean): Promise<number> {
  const times: number[] = [];
  const headers = { ...credentialsOf(bootstrap.token), 'Content-Type': 'application/json' };
  const body = JSON.stringify({ servers: [{ game_id: GAME, servers: followedBy(1) }] });
  while (!isOver()) {
    const began = performance.now();
    const { status } = await ask(stack.http, { method: 'POST', path: '/v1/post/fetch', headers, body });
    times.push(performance.now() - began);
    assert.equal(status, 200);
    await pause(10);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

async function latencyFor(ms: number): Promise<number> {
  const endsAt = performance.now() + ms;
  return fetchLatency(() => performance.now() > endsAt);
}

/** Returns the number of event streams that are open at the gateway. */
async function openEventStreams(): Promise<number | undefined> {
  const text = await metricsText(stack.process('gateway').address(OPS_ADDR.gateway));
  return readExposition(text).samples.find(({ name }) => name === 'gsq_gateway_event_streams')?.value;
}

/** Returns the resident anonymous memory of the core and of the gateway, in MiB. */
function memory(): number[] {
  return MEASURED.map(name => mebibytes(residentOf(stack.process(name).child.pid)?.anonymous) ?? 0);
}

/** Resolves when a reader has the newest state of each server that it follows. */
async function untilNewest(reader: ChangeReader): Promise<void> {
  await until(
    'the newest states',
    () => [...reader.players].filter(([server, players]) => players !== prober.players.get(server)).length,
    old => old === 0,
    PATIENCE_MS,
  );
}

/** Checks that clients which begin to read late get the newest state of each server, and not every change. */
async function checkThinned(readers: readonly ChangeReader[]): Promise<void> {
  for (const reader of readers) {
    reader.resume();
    await until(
      'changes that were left out',
      () => [reader.hasSnapshot, reader.gaps, reader.ending] as const,
      ([hasSnapshot, gaps]) => hasSnapshot && gaps > 0,
      PATIENCE_MS,
    );
    reader.close();
    assert.equal(reader.setbacks, 0);
  }
}

test('readers of event streams that are fast enough miss no change, and clients that do not read cost no memory', async t => {
  const alone = await latencyFor(3_000);
  const readers = await openReaders(t);
  const unread = await openUnread(t);
  t.after(() => {
    for (const reader of [...readers, ...unread]) reader.close();
  });
  // Measures the memory only after some seconds, in which the processes fill their caches and buffers.
  await latencyFor(5_000);
  const [reported, before] = [prober.reports, memory()];
  const measuring = latencyFor(seconds * 1_000);
  await until(
    'changes that were not read',
    () => prober.reports - reported,
    count => count >= REPORTS_UNREAD,
    PATIENCE_MS,
  );
  // Skips this check if there are many servers: no server then changes twice in this time, so no change can be left
  // out.
  const late = servers <= REPORTS_UNREAD / 2 ? unread.splice(0, unread.length / 2) : [];
  await checkThinned(late);
  const beside = await measuring;
  const [changes, after] = [prober.reports - reported, memory()];
  prober.limit(0);
  await until(
    'all reports recorded',
    () => prober.isRecorded,
    recorded => recorded,
  );
  for (const reader of readers) await untilNewest(reader);
  const growth = after.map((mebibytes, i) => mebibytes - (before[i] ?? 0));
  t.diagnostic(
    `${readers.length} streams, ${Math.round(changes / seconds)} changes a second: fetch p99 ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside`,
  );
  MEASURED.forEach((name, i) => {
    t.diagnostic(`${name}: ${after[i]?.toFixed(0)} MiB, grew by ${growth[i]?.toFixed(0)} MiB`);
  });
  for (const { ending, gaps, setbacks, changes: received } of readers) {
    assert.deepEqual({ ending, gaps, setbacks }, { ending: undefined, gaps: 0, setbacks: 0 });
    assert.ok(received > 0);
  }
  growth.forEach((mebibytes, i) => {
    assert.ok(mebibytes < MOST_GROWTH_MIB, `${MEASURED[i]} grew by ${mebibytes} MiB`);
  });
  await until(
    'the end of the streams that are not read',
    openEventStreams,
    count => count === streams,
    PATIENCE_MS,
  );
  for (const reader of unread) {
    reader.resume();
    await reader.untilEnded(PATIENCE_MS);
    t.diagnostic(`not read: ${reader.ending} after ${reader.changes} changes`);
  }
});
