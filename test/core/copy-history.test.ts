import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bucketOfServer } from '../../core/cluster/buckets.ts';
import { HistoryCopy, type HistorySource, type HistoryTarget } from '../../core/migration/copy-history.ts';
import { CoreHistory } from '../../core/migration/core-history.ts';
import {
  blobsSource,
  blobsTarget,
  directorySource,
  directoryTarget,
} from '../../core/migration/history-sides.ts';
import type { History } from '../../core/store/history/history.ts';
import type { MoveStoreResponse__Output } from '../../proto/generated/gsq/v1/MoveStoreResponse.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { DAY, HOUR, openHistory } from './store/history/opened-history.ts';
import { MemoryBlobs } from './store/history-blobs/memory-blobs.ts';
import { openEngineHistory } from './store/history-blobs/opened-engine-history.ts';
import { compareHistories, retention, SharedHistories } from './store/history-blobs/shared-histories.ts';

const FROM = Date.UTC(2026, 4, 28);
const KEYS = [1, 1, 2, 3].map((host, i) => `csgo 203.0.113.${host}:2701${5 + i}`);

/**
 * Simulates servers, and returns two copies of their history: one in byte strings (blobs), as on Redis or Valkey, and
 * one in a directory.
 */
async function simulated(t: TestContext) {
  const blobs = new MemoryBlobs(() => FROM);
  const all = new SharedHistories(t, { of: core => blobs.of(core), move: async () => {} }, 1, KEYS, FROM, 5);
  await all.simulate(DAY + 4 * HOUR);
  return { all, clock: all.clock, side: sideOf(blobs, all.clock.now) };
}

function sideOf(blobs: MemoryBlobs, now: () => number, servers = KEYS) {
  const serverKeys = async (buckets: readonly number[]): Promise<string[]> =>
    servers.filter(key => buckets.includes(bucketOfServer(key)));
  return { blobs: blobs.of(0), serverKeys, retention, now };
}

function copyOf(
  source: HistorySource,
  target: HistoryTarget,
  now: () => number,
  servers = KEYS,
): HistoryCopy {
  return new HistoryCopy({
    ...{ source, target, now },
    async *serverKeys() {
      yield* servers;
    },
    onProgress() {},
  });
}

/**
 * Copies a history from `source` to `target`. The history must not change meanwhile. Returns the number of copied
 * entries.
 */
async function copy(source: HistorySource, target: HistoryTarget): Promise<number> {
  const copied = copyOf(source, target, () => FROM);
  await copied.begin(false);
  await copied.copyAll();
  return copied.complete();
}

const fail = (fault: string): never => assert.fail(fault);

/**
 * Returns a migration source that reads the history of a running core. `pages`: the part of this core that answers the
 * requests of the migration.
 */
function coreSource({ pages }: Pick<History, 'pages'>): HistorySource {
  return new CoreHistory(async ({ readHistory }) => {
    const answer: Partial<MoveStoreResponse__Output> = {};
    if (readHistory) {
      const { path = '', after } = readHistory;
      const page = await pages.page(path, Buffer.from(after ?? ''));
      answer.historyEntries = page.map(([key, value]) => ({ key, value }));
    } else {
      const versions = [...(await pages.versions())];
      answer.history = {
        secret: pages.secret,
        directories: versions.map(([path, version]) => ({ path, version })),
      };
    }
    return answer as MoveStoreResponse__Output;
  });
}

test('a migration copies a history from disk to Redis, even if an earlier migration stopped halfway', async t => {
  const { all, clock } = await simulated(t);
  await all.whole.close();
  const blobs = new MemoryBlobs(() => FROM);
  const source = directorySource(all.directory, fail);
  const target = blobsTarget(sideOf(blobs, clock.now));
  const broken = { ...target, finish: () => Promise.reject(new Error('killed')) };
  await assert.rejects(copy(source, broken), /killed/);
  const count = await copy(source, blobsTarget(sideOf(blobs, clock.now)));
  assert.ok(count > 100);
  const { store } = openEngineHistory(t, blobs.of(0), clock, () => KEYS, { retention });
  const original = openHistory(t, all.directory, clock, { retention });
  for (const key of KEYS) await compareHistories(store, original.store, key, FROM - DAY, clock.at);
});

test('a migration copies a history from Redis to disk, and renames an older history on disk to history.old', async t => {
  const { all, clock, side } = await simulated(t);
  const directory = join(scratchDirectory(), 'history');
  for (let run = 0; run < 2; run++) await copy(blobsSource(side), directoryTarget(directory));
  assert.deepEqual(readdirSync(dirname(directory)).sort(), ['history', 'history.old']);
  assert.ok(existsSync(join(directory, 'history.key')));
  const { store } = openHistory(t, directory, clock, { retention });
  const [core] = all.cores;
  for (const key of KEYS) if (core) await compareHistories(core.store, store, key, FROM - DAY, clock.at);
});

test('a migration from disk to Redis also copies what a core writes during the migration, even for new servers', async t => {
  const { all, clock } = await simulated(t);
  const blobs = new MemoryBlobs(() => FROM);
  const history = all.whole as History;
  const servers = KEYS.slice(1);
  const target = blobsTarget(sideOf(blobs, clock.now, servers));
  const copied = copyOf(coreSource(history), target, clock.now, servers);
  await copied.begin(true);
  await copied.copyAll();
  const inserted = KEYS[0] ?? '';
  const from = clock.at;
  servers.push(inserted);
  await all.simulate(12 * HOUR);
  await copied.copyChanged();
  assert.ok((await copied.complete()) > 100);
  const { store } = openEngineHistory(t, blobs.of(0), clock, () => KEYS, { retention });
  for (const key of servers)
    await compareHistories(store, history.store, key, key === inserted ? from : FROM - DAY, clock.at);
});

test('a migration from Redis to disk also copies the history that cores write during the migration', async t => {
  const { all, clock, side } = await simulated(t);
  const directory = join(scratchDirectory(), 'history');
  const copied = copyOf(blobsSource(side), directoryTarget(directory), clock.now);
  await copied.begin(true);
  await copied.copyAll();
  await all.simulate(12 * HOUR);
  await copied.copyChanged();
  await copied.complete();
  const { store } = openHistory(t, directory, clock, { retention });
  const [core] = all.cores;
  for (const key of KEYS) if (core) await compareHistories(core.store, store, key, FROM - DAY, clock.at);
});

test('if a server is removed during a migration, its copied history stays hidden, even after the server is inserted again', async t => {
  const { clock, side } = await simulated(t);
  const directory = join(scratchDirectory(), 'history');
  const servers = [...KEYS];
  const copied = copyOf(blobsSource(side), directoryTarget(directory), clock.now, servers);
  await copied.begin(true);
  await copied.copyAll();
  const [removed = ''] = servers.splice(0, 1);
  await copied.copyChanged();
  await copied.complete();
  const { store } = openHistory(t, directory, clock, { retention });
  assert.deepEqual(await store.hours(removed, FROM, clock.at), []);
  assert.ok((await store.hours(KEYS[1] ?? '', FROM, clock.at)).length > 20);
});

test('a migration of the history fails if the target does not contain all entries after the copy', async t => {
  const { all, clock } = await simulated(t);
  await all.whole.close();
  const target = blobsTarget(sideOf(new MemoryBlobs(() => FROM), clock.now));
  let lines = 0;
  const losing: HistoryTarget = {
    ...target,
    add: async (line, keyOf) => (++lines === 3 ? undefined : target.add(line, keyOf)),
  };
  await assert.rejects(copy(directorySource(all.directory, fail), losing), { name: 'MigrationFailed' });
});
