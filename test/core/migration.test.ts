import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { tokenEntry } from '../../core/access/token-entry.ts';
import { openEngine } from '../../core/engine.ts';
import { type CountedKind, countedChecksum } from '../../core/migration/entry-kinds.ts';
import { HandOver } from '../../core/migration/hand-over.ts';
import { Migration, type MigrationTarget, removeCopied } from '../../core/migration/migrate.ts';
import type { ShowProgress } from '../../core/migration/source.ts';
import { newRecord } from '../../core/servers/record-status.ts';
import { serverEntry } from '../../core/servers/server-entry.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { deleteMoved, putMarker, readMarker, readMoved } from '../../core/store/migration-marker.ts';
import type { Delete, Put } from '../../core/store/storage-engine.ts';
import { verifyData } from '../../core/verify-data.ts';
import { createLogger } from '../../runtime/log.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const MINUTE_MS = 60_000;

/** An embedded store in a scratch directory, as the source or target of a migration. */
interface Side extends MigrationTarget {
  engine: LevelDbStore;
  directory: string;
}

async function openSide(name: string, directory = scratchDirectory()): Promise<Side> {
  const engine = await LevelDbStore.open(join(directory, 'leveldb'), error => assert.fail(error));
  return {
    ...{ name, engine, directory },
    moved: () => readMoved(engine),
    clearMoved: () => engine.commit([deleteMoved()]),
  };
}

function serverAt(port: number): Put {
  return serverEntry(newRecord('rust', `127.0.0.1:${port}`, 'token-1', Date.now(), MINUTE_MS));
}

/**
 * Entries of the store that is migrated: three servers, and one entry of each other kind that can be stored without a
 * key file.
 */
const ENTRIES: readonly Put[] = [
  ...[28015, 28016, 28017].map(serverAt),
  ...[
    'n/rust 127.0.0.1:1',
    'q/token-1',
    'u/token-1',
    'd/hook-1/1',
    'l/hook-1/1',
    'i/hook-1',
    'e/hook-1/1',
  ].map((key): Put => ({ type: 'put', key, value: Buffer.from(`value of ${key}`) })),
];

async function filledSource(): Promise<Side> {
  const source = await openSide('the source');
  await load(source);
  await source.engine.commit(ENTRIES);
  return source;
}

async function load({ engine, directory }: Side): Promise<void> {
  await verifyData(engine, directory);
  await engine.finishLoading();
}

/**
 * Returns the object with which a migration reads this store. `isLive`: true for the store of a core that keeps
 * running; false if this process only migrates the store.
 */
function handOver({ engine, name }: Side, isLive = false): HandOver {
  const hold = (reason: string | undefined): void => engine.pause(reason);
  return new HandOver({ engine, name, isLive, hold, writeBehind: async () => {} });
}

function migration(source: HandOver, target: Side, onProgress: ShowProgress = () => {}): Migration {
  return new Migration({
    source,
    target,
    load: async () => void (await verifyData(target.engine, target.directory)),
    history: NO_HISTORY,
    onProgress,
    now: () => performance.now(),
  });
}

const nothing = async (): Promise<void> => {};
const NO_HISTORY = { begin: nothing, copyAll: nothing, copyChanged: nothing, complete: async () => 0 };

async function entriesOf({ engine }: Side): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  for await (const [key, value] of engine.entries(''))
    if (key !== 'm/state' && !key.startsWith('migration/')) entries.push([key, value.toString('hex')]);
  return entries;
}

/**
 * Closes a store and opens it again in the same way as a core. When the store opens, it compares the loaded entries
 * with the recorded digests.
 */
async function reopened({ engine, name, directory }: Side): Promise<Side> {
  await engine.close();
  const side = await openSide(name, directory);
  await load(side);
  return side;
}

test('a migration copies all entries, and the next start of a core accepts them', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  const before = await entriesOf(source);
  const { entries, written, removed, kinds } = await migration(handOver(source), target).run();
  assert.deepEqual({ entries, written, removed }, { entries: 10, written: 10, removed: 0 });
  assert.deepEqual(kinds.map(({ kind, entries }: CountedKind) => `${entries} ${kind}`).slice(0, 3), [
    '3 servers',
    '1 given-up servers',
    '1 usage of tokens',
  ]);
  assert.deepEqual(await entriesOf(await reopened(target)), before);
  assert.deepEqual(await entriesOf(source), before);
});

const optionsOf = (dataDirectory: string) => ({
  ...{ store: 'leveldb', dataDirectory, log: createLogger('core', 'silent'), address: 'none' },
  ...{ onWait: () => {}, onFailure: () => {}, onLost: () => {} },
});

function removal({ key, value }: Put): Delete {
  return { type: 'del', key, removes: countedChecksum(key, value) ?? 0 };
}

test('after a failed migration, a second run completes the target store, even if the source store has changed', async () => {
  const source = await filledSource();
  let target = await openSide('the target');
  const broken = handOver(source);
  broken.commit = () => Promise.reject(new Error('the window is over'));
  await assert.rejects(migration(broken, target).run(), /the window is over/);
  await target.engine.close();
  const refused = openEngine(optionsOf(target.directory));
  await assert.rejects(refused, { name: 'UnfinishedMigration', message: /from the source/ });
  await source.engine.commit([removal(ENTRIES[0] as Put), serverAt(28018), serverAt(28019)]);
  target = await openSide('the target', target.directory);
  const { entries, written, removed } = await migration(handOver(source), target).run();
  assert.deepEqual({ entries, written, removed }, { entries: 11, written: 2, removed: 1 });
  assert.deepEqual(await entriesOf(await reopened(target)), await entriesOf(source));
});

test('a core cannot open a store whose data was moved, but a second migration can move the data back into this store', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  await migration(handOver(source), target).run();
  await source.engine.close();
  const refused = openEngine(optionsOf(source.directory));
  await assert.rejects(refused, { name: 'StoreMoved', message: /moved to the target.*GSQ_STORE/ });
  await target.engine.commit([serverAt(28018)]);
  const again = await openSide('the source', source.directory);
  const { entries, written } = await migration(handOver(target), again).run();
  assert.deepEqual({ entries, written }, { entries: 11, written: 1 });
  const filled = await reopened(again);
  assert.deepEqual(await entriesOf(filled), await entriesOf(target));
  await assert.rejects(migration(handOver(target), filled).run(), /was already moved, to the source/);
});

test('a migration of a running core copies all changes that the core accepts during the migration', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  const phases: string[] = [];
  let port = 30_000;
  const refused: unknown[] = [];
  const writing: Promise<void>[] = [];
  const { windowMs } = await migration(handOver(source, true), target, phase => {
    phases.push(phase);
    const change = source.engine.commit([serverAt(port++)]);
    writing.push(change.catch(error => void refused.push(error)));
  }).run();
  await Promise.all(writing);
  assert.equal(typeof windowMs, 'number');
  assert.ok(['copying', 'comparing', 'following changes', 'last changes'].every(one => phases.includes(one)));
  assert.match(String(refused[0]), /NoWrites: the store accepts no changes for a moment/);
  await assert.rejects(source.engine.commit([serverAt(1)]), /its data was moved/);
  assert.ok((await entriesOf(source)).length > 11);
  assert.deepEqual(await entriesOf(await reopened(target)), await entriesOf(source));
});

test('if a migration stops before its commit, the running core accepts changes again', async () => {
  const source = await filledSource();
  const moving = handOver(source, true);
  await moving.hold();
  await assert.rejects(source.engine.commit([serverAt(1)]), /for a moment/);
  await moving.close();
  await source.engine.commit([serverAt(1)]);
  await assert.rejects(moving.commit({ target: 'the target', id: 'x' }), { name: 'WindowOver' });
});

test('if a migration is killed after it closed the source store for writes, a second run completes the migration', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  const moving = handOver(source, true);
  const commit = moving.commit.bind(moving);
  moving.commit = async moved => {
    await commit(moved);
    throw new Error('killed');
  };
  await assert.rejects(migration(moving, target).run(), /killed/);
  await moving.close();
  const marker = await readMarker(target.engine);
  assert.equal(marker?.isClosing, true);
  assert.equal((await readMoved(source.engine))?.id, marker?.id);
  await assert.rejects(source.engine.commit([serverAt(1)]), /its data was moved/);
  const again = handOver(source, true);
  const { written } = await migration(again, target).run();
  assert.equal(written, 0);
  assert.equal(await readMarker(target.engine), undefined);
  await assert.rejects(source.engine.commit([serverAt(1)]), /its data was moved/);
  await again.release();
  await source.engine.commit([serverAt(1)]);
});

test('if the source store does not report a changed entry, the final comparison of the stores makes the migration fail', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  const moving = handOver(source, true);
  moving.changes = async () => ({ entries: [], removed: [], left: 0 });
  const hidden = migration(moving, target, phase => {
    if (phase === 'following changes') void source.engine.commit([serverAt(1)]);
  });
  await assert.rejects(hidden.run(), /the entries s\/ differs between the stores/);
});

test('a migration refuses a target with other data, and does not change it', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  await load(target);
  await target.engine.commit([serverAt(1)]);
  const before = await entriesOf(target);
  await assert.rejects(migration(handOver(source), target).run(), {
    name: 'ConfigError',
    message: /^the target already contains other data, for example the entry "s\/rust 127\.0\.0\.1:1"/,
  });
  assert.deepEqual(await entriesOf(target), before);
});

test('a migration refuses the target of a different unfinished migration, and an empty source', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  await load(target);
  await assert.rejects(
    migration(handOver(target), source).run(),
    /^ConfigError: the target contains no data/,
  );
  await target.engine.commit([putMarker({ source: 'another store', id: 'x', isClosing: false })]);
  await assert.rejects(migration(handOver(source), target).run(), /a different source, another store/);
});

test('removeCopied() empties the target store of an unfinished migration and makes the source store usable again', async () => {
  const target = await filledSource();
  const marker = { source: 'another store', id: 'x', isClosing: true };
  const released: string[] = [];
  const remove = () =>
    removeCopied(
      target,
      () => {},
      async ({ id }) => void released.push(id),
    );
  await assert.rejects(remove(), /nothing was changed/);
  assert.equal((await entriesOf(target)).length, 10);
  await target.engine.commit([putMarker(marker)]);
  assert.equal(await remove(), 10);
  assert.deepEqual(released, ['x']);
  assert.deepEqual(await entriesOf(target), []);
  assert.equal(await readMarker(target.engine), undefined);
});

test('countedChecksum() returns the checksum of a token entry, and undefined for an entry about the usage of a token', () => {
  const { key, value, adds } = tokenEntry({ id: 'a' });
  assert.equal(countedChecksum(key, value), adds);
  assert.equal(countedChecksum('q/a', value), undefined);
});
