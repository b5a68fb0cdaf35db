import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { tokenEntry } from '../../core/access/token-entry.ts';
import { openEngine } from '../../core/engine.ts';
import { type CountedKind, countedChecksum } from '../../core/migration/entry-kinds.ts';
import { Migration, type MigrationSide, removeCopied } from '../../core/migration/migrate.ts';
import { newRecord } from '../../core/servers/record-status.ts';
import { serverEntry } from '../../core/servers/server-entry.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { putMarker, readMarker } from '../../core/store/migration-marker.ts';
import type { Put } from '../../core/store/storage-engine.ts';
import { verifyData } from '../../core/verify-data.ts';
import { createLogger } from '../../runtime/log.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const MINUTE_MS = 60_000;

/** An embedded store in a scratch directory, as the source or target of a migration. */
interface Side extends MigrationSide {
  engine: LevelDbStore;
  directory: string;
}

async function openSide(name: string, directory = scratchDirectory()): Promise<Side> {
  const engine = await LevelDbStore.open(join(directory, 'leveldb'), error => assert.fail(error));
  return { name, engine, directory };
}

function serverAt(port: number): Put {
  return serverEntry(newRecord('rust', `127.0.0.1:${port}`, 'token-1', Date.now(), MINUTE_MS));
}

/** The entries of a source: three servers, and one entry of every other kind that needs no key file. */
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

function migration(source: Side, target: Side, checkSource = async () => {}): Migration {
  return new Migration({
    source,
    target,
    load: async () => void (await verifyData(target.engine, target.directory)),
    checkSource,
    onProgress: () => {},
  });
}

async function entriesOf({ engine }: Side): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  for await (const [key, value] of engine.entries(''))
    if (key !== 'm/state') entries.push([key, value.toString('hex')]);
  return entries;
}

/** Closes a store and opens it like a core, which compares the loaded entries with the recorded digests. */
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
  const { entries, written, removed, kinds } = await migration(source, target).run();
  assert.deepEqual({ entries, written, removed }, { entries: 10, written: 10, removed: 0 });
  assert.deepEqual(kinds.map(({ kind, entries }: CountedKind) => `${entries} ${kind}`).slice(0, 3), [
    '3 servers',
    '1 given-up servers',
    '1 usage of tokens',
  ]);
  assert.deepEqual(await entriesOf(await reopened(target)), before);
  assert.deepEqual(await entriesOf(source), before);
});

test('after a failed migration, a core refuses the target, and the next run goes on even if the source has changed', async () => {
  const source = await filledSource();
  let target = await openSide('the target');
  const changed = migration(source, target, () => Promise.reject(new Error('the source was changed')));
  await assert.rejects(changed.run(), /the source was changed/);
  await target.engine.close();
  const options = {
    store: 'leveldb',
    dataDirectory: target.directory,
    log: createLogger('core', 'silent'),
    address: 'none',
    onWait: () => {},
    onFailure: () => {},
    onLost: () => {},
  };
  await assert.rejects(openEngine(options), { name: 'UnfinishedMigration', message: /from the source/ });
  const [first] = ENTRIES;
  assert.ok(first);
  const removes = countedChecksum(first.key, first.value) ?? 0;
  await source.engine.commit([{ type: 'del', key: first.key, removes }, serverAt(28018), serverAt(28019)]);
  target = await openSide('the target', target.directory);
  const { entries, written, removed } = await migration(source, target).run();
  assert.deepEqual({ entries, written, removed }, { entries: 11, written: 2, removed: 1 });
  assert.deepEqual(await entriesOf(await reopened(target)), await entriesOf(source));
});

test('a migration refuses a target with other data, and does not change it', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  await load(target);
  await target.engine.commit([serverAt(1)]);
  const before = await entriesOf(target);
  await assert.rejects(migration(source, target).run(), {
    name: 'ConfigError',
    message: /^the target already contains other data, for example the entry "s\/rust 127\.0\.0\.1:1"/,
  });
  assert.deepEqual(await entriesOf(target), before);
});

test('a migration refuses the target of a different unfinished migration, an incomplete source, and an empty source', async () => {
  const source = await filledSource();
  const target = await openSide('the target');
  await load(target);
  await assert.rejects(migration(target, source).run(), /^ConfigError: the target contains no data/);
  await target.engine.commit([putMarker({ source: 'another store', fingerprint: 'x' })]);
  await assert.rejects(migration(source, target).run(), /a different source, another store/);
  await assert.rejects(migration(target, source).run(), { name: 'UnfinishedMigration' });
});

test('removeCopied removes the copied entries and the marker of an unfinished migration, and refuses any other store', async () => {
  const target = await filledSource();
  await assert.rejects(
    removeCopied(target, () => {}),
    /nothing was changed/,
  );
  assert.equal((await entriesOf(target)).length, 10);
  await target.engine.commit([putMarker({ source: 'another store', fingerprint: 'x' })]);
  assert.equal(await removeCopied(target, () => {}), 10);
  assert.deepEqual(await entriesOf(target), []);
  assert.equal(await readMarker(target.engine), undefined);
});

test('`countedChecksum` of a token is the checksum that the store adds to its digest; entries of other kinds can have none', () => {
  const { key, value, adds } = tokenEntry({ id: 'a' });
  assert.equal(countedChecksum(key, value), adds);
  assert.equal(countedChecksum('q/a', value), undefined);
});
