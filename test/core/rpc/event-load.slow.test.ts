/**
 * Many streams of changes at the same time. By default 200 streams for five seconds. With the environment variable
 * EVENT_LOAD=full, 2,000 streams that follow 10 of 100,000 servers each, for one minute; with EVENT_LOAD=long, for ten
 * minutes. Prints the memory and the latency of fetches beside the streams.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Metadata } from '@grpc/grpc-js';
import type { HttpBody__Output } from '../../../proto/generated/google/api/HttpBody.ts';
import type { WatchServersResponse__Output } from '../../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { payloadOf } from '../payload-of.ts';
import { onlineRecord } from '../record-of.ts';
import { unary } from './answer.ts';
import { runningCore } from './running-core.ts';

const SIZES = {
  small: { streams: 200, servers: 10_000, seconds: 5 },
  full: { streams: 2_000, servers: 100_000, seconds: 60 },
  long: { streams: 2_000, servers: 100_000, seconds: 600 },
};
const size = process.env.EVENT_LOAD;
const { streams, servers, seconds } = SIZES[size === 'full' || size === 'long' ? size : 'small'];
/** Number of servers that each stream follows. */
const FOLLOWED = 10;
const CHANGES_PER_SECOND = 1_000;
const TICK_MS = 20;
const STREAMS_PER_TOKEN = 20;
const MIB = 1024 * 1024;

const addressOf = (i: number): string => `9.${i >> 16}.${(i >> 8) & 255}.${i & 255}:27015`;
const followedBy = (stream: number): number[] =>
  Array.from({ length: FOLLOWED }, (_, i) => (stream * 7_919 + i * 104_729) % servers);

/** What one stream has received. */
interface Received {
  changes: number;
  lastSequence: number;
  isOrdered: boolean;
}

type Core = Awaited<ReturnType<typeof runningCore>>;

/** Opens a stream, with JSON lines if `stream` is even. Resolves when its snapshot has arrived. */
function openStream(core: Core, stream: number, metadata: Metadata): Promise<Received> {
  const addresses = followedBy(stream).map(addressOf);
  const received: Received = { changes: 0, lastSequence: -1, isOrdered: true };
  return new Promise((resolve, reject) => {
    const note = (event: string, token: string): void => {
      const sequence = Number.parseInt(token.split('.')[1] ?? '', 36);
      if (event === 'snapshot') resolve(received);
      else if (event === 'change') {
        received.changes++;
        received.isOrdered &&= sequence > received.lastSequence;
        received.lastSequence = sequence;
      }
    };
    if (stream % 2 === 0) {
      const server = addresses.map(address => `csgo/${address}`);
      const call = core.client.server.watchServersJson({ server }, metadata);
      call.on('data', ({ data }: HttpBody__Output) => {
        const { event, id } = JSON.parse(data.toString()) as { event: string; id: string };
        note(event, id);
      });
      call.on('error', reject);
    } else {
      const request = { servers: [{ gameId: 'csgo', servers: addresses }], onlyChanges: true };
      const call = core.client.server.watchServers(request, metadata);
      call.on('data', ({ event, resumeToken }: WatchServersResponse__Output) =>
        note(event ?? '', resumeToken),
      );
      call.on('error', reject);
    }
  });
}

async function openStreams(core: Core): Promise<Received[]> {
  const opened: Promise<Received>[] = [];
  for (let first = 0; first < streams; first += STREAMS_PER_TOKEN) {
    const { metadata } = await core.token({ tier: 'PRO' });
    for (let i = first; i < Math.min(streams, first + STREAMS_PER_TOKEN); i++)
      opened.push(openStream(core, i, metadata));
  }
  return Promise.all(opened);
}

/** Changes the number of players of the next servers, as a report does. Calls `done` after the last change. */
function changeServers(core: Core, total: number): Promise<void> {
  const due: number[] = [];
  let changed = 0;
  return new Promise(resolve => {
    const timer = setInterval(() => {
      for (let n = 0; n < (CHANGES_PER_SECOND * TICK_MS) / 1_000 && changed < total; n++) {
        if (due.length === 0) {
          core.clock.at += 120_000;
          due.push(...core.store.leaseDue(servers).map(({ id }) => id));
        }
        changeServer(core, due.pop() ?? 0, ++changed);
      }
      if (changed < total) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
}

function changeServer({ store, feed, clock }: Core, leaseId: number, players: number): void {
  const before = store.leased(leaseId);
  assert.ok(before);
  const next = onlineRecord(before, clock.at, { payload: payloadOf({ players }) });
  const change = feed.compare(before, next, clock.at);
  assert.ok(change && store.apply(leaseId, next));
  feed.publish(change);
}

/** Fetches ten servers again and again until `isOver`. Returns the 99th percentile of the latency, ms. */
async function fetchLatency(core: Core, metadata: Metadata, isOver: () => boolean): Promise<number> {
  const times: number[] = [];
  const request = { servers: [{ gameId: 'csgo', servers: followedBy(1).map(addressOf) }] };
  while (!isOver()) {
    const began = performance.now();
    await unary<HttpBody__Output>(done => core.client.server.fetchServersJson(request, metadata, done));
    times.push(performance.now() - began);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

async function measured(t: TestContext): Promise<void> {
  const core = await runningCore(t, { heartbeatMs: 15_000, maxServers: servers });
  await core.track(...Array.from({ length: servers }, (_, i) => addressOf(i)));
  const { metadata } = await core.token({ tier: 'PRO' });
  const aloneUntil = performance.now() + 2_000;
  const alone = await fetchLatency(core, metadata, () => performance.now() > aloneUntil);

  const published = new Map<string, number>();
  const received = await openStreams(core);
  core.feed.subscribe(({ key }) => published.set(key, (published.get(key) ?? 0) + 1));
  const expected = (stream: number): number =>
    followedBy(stream).reduce((sum, i) => sum + (published.get(`csgo ${addressOf(i)}`) ?? 0), 0);

  let isOver = false;
  const beside = fetchLatency(core, metadata, () => isOver);
  await changeServers(core, CHANGES_PER_SECOND);
  const before = process.memoryUsage().rss;
  await changeServers(core, CHANGES_PER_SECOND * (seconds - 1));
  while (received.some(({ changes }, i) => changes < expected(i))) await new Promise(setImmediate);
  const growth = process.memoryUsage().rss - before;
  isOver = true;
  const loaded = await beside;
  t.diagnostic(
    `${streams} streams, ${core.feed.sequence} changes: fetch p99 ${alone.toFixed(1)} ms alone, ${loaded.toFixed(1)} ms beside; RSS grew by ${(growth / MIB).toFixed(0)} MiB to ${(process.memoryUsage().rss / MIB).toFixed(0)} MiB`,
  );
  received.forEach(({ changes, isOrdered }, i) => {
    assert.equal(changes, expected(i));
    assert.ok(isOrdered);
  });
}

test('no change is missed by any of many streams, and their resume tokens only rise', measured);
