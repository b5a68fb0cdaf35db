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

/** Opens a LevelDbStore on a copy of the directory, as a process would find it after a kill. */
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
 * Number of operations in each write of the newest log, for logs of one block. LevelDB's doc/log_format.md
 * describes the bytes: records have a header of 7 bytes (checksum, length, type). A batch has a sequence
 * number (8 bytes), a count (4 bytes) and its operations.
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

test('commits that arrive during a write form one group', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await Promise.all(Array.from({ length: 50 }, (_, i) => engine.commit([put(`k${i}`)])));
  assert.deepEqual(writesOf(directory), [1, 49]);
  assert.equal((await keysOf(engine)).length, 50);
});

test('appends that wait for a group commit come before a later commit in the group', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  for (const value of ['1', '2', '3']) engine.append(put('same', value));
  assert.deepEqual(writesOf(directory), []);
  await engine.commit([put('other')]);
  assert.deepEqual(writesOf(directory), [4]);
  for await (const [key, value] of engine.entries('same'))
    assert.deepEqual([key, value.toString()], ['same', '3']);
});

test('200 appends are written without waiting for more', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  for (let i = 0; i < 250; i++) engine.append(put(`k${i}`));
  await engine.close();
  assert.deepEqual(writesOf(directory), [200, 50]);
});

test('a single append is written soon', { timeout: 10_000 }, async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  engine.append(put('alone'));
  while (writesOf(directory).length === 0) await new Promise(setImmediate);
  assert.deepEqual(writesOf(directory), [1]);
});

test('a resolved commit is durable: it is present after a kill', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await engine.commit([put('a'), put('b')]);
  await engine.commit([{ type: 'del', key: 'a' }]);
  assert.deepEqual(await keysOf(await afterKill(t, directory)), ['b']);
});

test('close() writes the appends that wait for a group commit', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  engine.append(put('alone'));
  await engine.close();
  assert.deepEqual(await keysOf(await openEngine(t, directory)), ['alone']);
});

test('close() writes the queued operations and finishes the current write', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  const committed = engine.commit([put('committed')]);
  engine.append(put('appended'));
  await engine.close();
  await committed;
  assert.deepEqual(await keysOf(await openEngine(t, directory)), ['appended', 'committed']);
});

test('entries() returns the entries of a prefix in order of keys, after a start key if given', async t => {
  const engine = await scratchEngine(t);
  await engine.commit(['s/b', 't/x', 's/a', 's/', 's/c', 'r/z', 's0'].map(key => put(key)));
  assert.deepEqual(await keysOf(engine, 's/'), ['s/', 's/a', 's/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 's/a'), ['s/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 's/aa'), ['s/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 'a'), ['s/', 's/a', 's/b', 's/c'], 'before the prefix');
  assert.deepEqual(await keysOf(engine, 's/', 't/'), [], 'behind the prefix');
});

test('entries() frees its iterator if the reader stops early', async t => {
  const engine = await scratchEngine(t);
  await engine.commit([put('a'), put('b')]);
  for await (const [key] of engine.entries('')) {
    assert.equal(key, 'a');
    break;
  }
  await engine.close();
});

test('readAll() visits every entry of a prefix in order, however many there are', async t => {
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

test('readAll() stops if its visitor throws, and frees its iterator', async t => {
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

test('a second open of the same store directory is refused, and the first continues to work', async t => {
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

test('a store that is in use is refused as in use, even if a table looks damaged', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await engine.commit([put('a')]);
  // Reopening writes the log into a table.
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

test('a store path that cannot be a directory is refused with its name', async () => {
  const file = join(scratchDirectory(), 'file');
  writeFileSync(file, '');
  await assert.rejects(
    LevelDbStore.open(file, () => {}),
    (error: Error) => error.message.startsWith(`cannot open the store in ${file}: EEXIST`),
  );
});

test('after the first write error nothing is written or acknowledged, and onFailure is called once', async () => {
  const directory = scratchDirectory();
  const failures: Error[] = [];
  const engine = await LevelDbStore.open(directory, error => failures.push(error));
  await engine.commit([put('before')]);
  // LevelDB cannot create the next log without its directory when this log is full.
  rmSync(directory, { recursive: true });
  const megabyte = 'x'.repeat(1024 * 1024);
  const outcomes: PromiseSettledResult<void>[] = [];
  while (!engine.failed) {
    assert.ok(outcomes.length < 100, 'LevelDB writes to a directory that is gone');
    const first = engine.commit([put('big', megabyte)]);
    const second = engine.commit([put('more')]);
    // This commit arrives during the second write, so something is queued whichever of the two writes fails.
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

test('close() rejects queued writes if the store fails during the close', async () => {
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

test('reopen() keeps all entries, also those written during the reopen', async t => {
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

test('a paused store refuses writes with the reason, and accepts them after it is resumed', async t => {
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

test('the store refuses appends beyond its backlog limit', async t => {
  const engine = await openEngine(t, scratchDirectory());
  let taken = 0;
  // All appends are made in one event-loop turn, so only the first group can be written.
  while (engine.append(put(`k${taken}`))) {
    taken++;
    assert.ok(taken < 100_000, 'the backlog has no end');
  }
  assert.ok(taken >= 20_000);
  await engine.commit([put('committed')]);
  assert.equal(engine.append(put('then')), true);
  assert.equal((await keysOf(engine, 'k')).length, taken);
});
