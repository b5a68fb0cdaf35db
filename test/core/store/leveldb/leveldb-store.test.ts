import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import type { Operation } from '../../../../core/store/storage-engine.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { openEngine, scratchEngine } from '../../scratch-store.ts';
import { storageEngineContract } from '../storage-engine.contract.ts';

const put = (key: string, value = key): Operation => ({ type: 'put', key, value: Buffer.from(value) });

async function keysOf(engine: LevelDbStore, prefix = '', after?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of engine.entries(prefix, after)) keys.push(key);
  return keys;
}

/** Opens a copy of the directory, in the state in which a new process would find it after a kill. */
function afterKill(t: TestContext, directory: string): Promise<LevelDbStore> {
  const copy = join(scratchDirectory(), 'copy');
  cpSync(directory, copy, { recursive: true });
  return openEngine(t, copy);
}

storageEngineContract('LevelDB', async t => {
  const directory = scratchDirectory();
  return { engine: await openEngine(t, directory), afterKill: () => afterKill(t, directory) };
});

/**
 * Returns the number of operations in each write of the newest log. The log must consist of a single block. Format of
 * the log (LevelDB's doc/log_format.md): each record has a header of 7 bytes (checksum, length, type). It holds a
 * batch: a sequence number (8 bytes), the number of operations (4 bytes) and the operations.
 */
function writesOf(directory: string): number[] {
  const name = readdirSync(directory)
    .filter(file => file.endsWith('.log'))
    .sort()
    .at(-1);
  const log = readFileSync(join(directory, name ?? ''));
  assert.ok(log.length < 32 * 1024, 'more than one block');
  const counts: number[] = [];
  for (let at = 0; at + 7 <= log.length; at += 7 + log.readUInt16LE(at + 4)) {
    counts.push(log.readUInt32LE(at + 7 + 8));
  }
  return counts;
}

test('LevelDbStore: commits that arrive during a write form one group', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await Promise.all(Array.from({ length: 50 }, (_, i) => engine.commit([put(`k${i}`)])));
  assert.deepEqual(writesOf(directory), [1, 49]);
  assert.equal((await keysOf(engine)).length, 50);
});

test('LevelDbStore: queued appends are written before a later commit, in the same group', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  for (const value of ['1', '2', '3']) engine.append(put('same', value));
  assert.deepEqual(writesOf(directory), []);
  await engine.commit([put('other')]);
  assert.deepEqual(writesOf(directory), [4]);
  for await (const [key, value] of engine.entries('same'))
    assert.deepEqual([key, value.toString()], ['same', '3']);
});

test('LevelDbStore: a group of 200 appends is written without waiting for more operations', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  for (let i = 0; i < 250; i++) engine.append(put(`k${i}`));
  await engine.close();
  assert.deepEqual(writesOf(directory), [200, 50]);
});

test('LevelDbStore: a single append is written soon', { timeout: 10_000 }, async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  engine.append(put('alone'));
  while (writesOf(directory).length === 0) await new Promise(setImmediate);
  assert.deepEqual(writesOf(directory), [1]);
});

test('LevelDbStore: a resolved commit is durable, so its changes are present after a kill', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await engine.commit([put('a'), put('b')]);
  await engine.commit([{ type: 'del', key: 'a' }]);
  assert.deepEqual(await keysOf(await afterKill(t, directory)), ['b']);
});

test('LevelDbStore: close() writes queued appends', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  engine.append(put('alone'));
  await engine.close();
  assert.deepEqual(await keysOf(await openEngine(t, directory)), ['alone']);
});

test('LevelDbStore: close() finishes the current write and writes the queued operations', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  const committed = engine.commit([put('committed')]);
  engine.append(put('appended'));
  await engine.close();
  await committed;
  assert.deepEqual(await keysOf(await openEngine(t, directory)), ['appended', 'committed']);
});

test('LevelDbStore: entries() yields the entries of a prefix in key order, optionally after a start key', async t => {
  const engine = await scratchEngine(t);
  await engine.commit(['s/b', 't/x', 's/a', 's/', 's/c', 'r/z', 's0'].map(key => put(key)));
  assert.deepEqual(await keysOf(engine, 's/'), ['s/', 's/a', 's/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 's/a'), ['s/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 's/aa'), ['s/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 'a'), ['s/', 's/a', 's/b', 's/c'], 'before the prefix');
  assert.deepEqual(await keysOf(engine, 's/', 't/'), [], 'behind the prefix');
});

test('LevelDbStore: entries() frees its iterator if the reader stops early', async t => {
  const engine = await scratchEngine(t);
  await engine.commit([put('a'), put('b')]);
  for await (const [key] of engine.entries('')) {
    assert.equal(key, 'a');
    break;
  }
  await engine.close();
});

test('LevelDbStore: readAll() visits all entries of a prefix in key order, also if there are thousands', async t => {
  const engine = await scratchEngine(t);
  const keys = Array.from({ length: 2500 }, (_, i) => `s/${String(i).padStart(5, '0')}`);
  await engine.commit([...keys, 'r/z', 's', 't/'].map(key => put(key, `value of ${key}`)));
  const found: string[] = [];
  await engine.readAll('s/', (key, value) => {
    assert.equal(value.toString(), `value of ${key}`);
    found.push(key);
  });
  assert.deepEqual(found, keys);
  await engine.readAll('u/', () => assert.fail('there is nothing'));
});

test('LevelDbStore: readAll() stops and frees its iterator if its visitor throws', async t => {
  const engine = await scratchEngine(t);
  await engine.commit([put('a'), put('b')]);
  const seen: string[] = [];
  const refusal = new Error('no');
  await assert.rejects(
    engine.readAll('', key => {
      seen.push(key);
      throw refusal;
    }),
    refusal,
  );
  assert.deepEqual(seen, ['a']);
  await engine.close();
});

test('LevelDbStore: opening a directory a second time is refused, and the first opening continues to work', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await assert.rejects(
    LevelDbStore.open(directory, () => {}),
    (error: Error) =>
      error.message.startsWith(`cannot open the store in ${directory}: `) && /lock/i.test(error.message),
  );
  await engine.commit([put('a')]);
  assert.deepEqual(await keysOf(engine), ['a']);
});

test('LevelDbStore: opening a directory that is in use is refused because of its lock, even if a table is damaged', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await engine.commit([put('a')]);
  // `reopen` makes LevelDB write the log into a table.
  await engine.reopen();
  const table = readdirSync(directory).find(name => name.endsWith('.ldb')) ?? '';
  const bytes = readFileSync(join(directory, table));
  writeFileSync(join(directory, table), Buffer.alloc(bytes.length));
  const files = readdirSync(directory).join();
  await assert.rejects(
    LevelDbStore.open(directory, () => {}),
    /cannot open the store in .* lock/i,
  );
  assert.equal(readdirSync(directory).join(), files);
  writeFileSync(join(directory, table), bytes);
});

test('LevelDbStore: opening a path that is a file is refused, and the error contains the path', async () => {
  const file = join(scratchDirectory(), 'file');
  writeFileSync(file, '');
  await assert.rejects(
    LevelDbStore.open(file, () => {}),
    (error: Error) => error.message.startsWith(`cannot open the store in ${file}: EEXIST`),
  );
});

test('LevelDbStore: after the first write error no write is acknowledged, and onFailure is called once', async () => {
  const directory = scratchDirectory();
  const failures: Error[] = [];
  const engine = await LevelDbStore.open(directory, error => failures.push(error));
  await engine.commit([put('before')]);
  // LevelDB needs a new log file when the current one is full. Without the directory it cannot create one.
  rmSync(directory, { recursive: true });
  const megabyte = 'x'.repeat(1024 * 1024);
  const outcomes: PromiseSettledResult<void>[] = [];
  while (!engine.failed) {
    assert.ok(outcomes.length < 100, 'LevelDB writes to a directory that is gone');
    const first = engine.commit([put('big', megabyte)]);
    const second = engine.commit([put('more')]);
    // This commit arrives during the second write. Therefore operations are queued when either of the two writes fails.
    const third = first.then(() => engine.commit([put('yet more')]));
    outcomes.push(...(await Promise.allSettled([first, second, third])));
  }
  const [failure, ...others] = failures;
  assert.match(failure?.message ?? '', /^the store refused a write and takes no more: .*IO error/);
  assert.deepEqual(others, []);
  const refused = outcomes.slice(outcomes.findIndex(({ status }) => status === 'rejected'));
  assert.ok(refused.length >= 2, 'the write that failed, and those behind it');
  for (const outcome of refused) assert.deepEqual(outcome, { status: 'rejected', reason: failure });
  await assert.rejects(engine.commit([put('after')]), failure);
  assert.equal(engine.append(put('after')), false);
  await engine.close();
  assert.equal(failures.length, 1);
});

test('LevelDbStore: close() rejects queued commits if a write fails during the close', async () => {
  const directory = scratchDirectory();
  const failures: Error[] = [];
  const engine = await LevelDbStore.open(directory, error => failures.push(error));
  await engine.close();
  const commit = engine.commit([put('late')]);
  engine.append(put('later'));
  await Promise.all([assert.rejects(commit, /takes no more/), engine.close()]);
  assert.equal(failures.length, 1);
  assert.equal(engine.failed, true);
});

test('LevelDbStore: reopen() keeps all entries, also entries written during the reopening', async t => {
  const engine = await openEngine(t, scratchDirectory());
  await engine.commit([{ type: 'put', key: 'a', value: Buffer.from('1') }]);
  engine.append({ type: 'put', key: 'b', value: Buffer.from('2') });
  const reopened = engine.reopen();
  engine.append({ type: 'put', key: 'c', value: Buffer.from('3') });
  await engine.commit([{ type: 'put', key: 'd', value: Buffer.from('4') }]);
  await reopened;
  await engine.reopen();
  const held: string[] = [];
  for await (const [key, value] of engine.entries('')) held.push(`${key}${value}`);
  assert.deepEqual(held, ['a1', 'b2', 'c3', 'd4']);
});

test('LevelDbStore: a paused store refuses writes with the given reason, and accepts them after the pause ends', async t => {
  const engine = await openEngine(t, scratchDirectory());
  await engine.commit([put('a')]);
  engine.pause('no room');
  await assert.rejects(engine.commit([put('b')]), { name: 'NoWrites', code: 'CORE_1', message: 'no room' });
  assert.equal(engine.append(put('c')), false);
  assert.deepEqual([engine.refusal?.message, engine.failed], ['no room', false]);
  engine.pause(undefined);
  assert.equal(engine.append(put('d')), true);
  await engine.commit([put('e')]);
  assert.deepEqual(await keysOf(engine), ['a', 'd', 'e']);
});

test('LevelDbStore: appends are refused while the queue is full', async t => {
  const engine = await openEngine(t, scratchDirectory());
  let taken = 0;
  // All appends happen in one event-loop turn, so only the first group can be written during them.
  while (engine.append(put(`k${taken}`))) {
    taken++;
    assert.ok(taken < 100_000, 'the backlog has no end');
  }
  assert.ok(taken >= 20_000);
  await engine.commit([put('committed')]);
  assert.equal(engine.append(put('then')), true);
  assert.equal((await keysOf(engine, 'k')).length, taken);
});
