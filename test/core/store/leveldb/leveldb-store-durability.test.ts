import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { openEngine } from '../../scratch-store.ts';
import { storageEngineContract } from '../storage-engine.contract.ts';
import { keysOf, put } from './engine-entries.ts';

/** Simulates a kill of the process that uses a store: opens a copy of the store directory in its present state. */
function afterKill(t: TestContext, directory: string): Promise<LevelDbStore> {
  const copy = join(scratchDirectory(), 'copy');
  cpSync(directory, copy, { recursive: true });
  return openEngine(t, copy);
}

storageEngineContract('LevelDB', async t => {
  const directory = scratchDirectory();
  return { engine: await openEngine(t, directory), afterKill: () => afterKill(t, directory) };
});

test('LevelDbStore: the changes of a commit survive a kill of the process as soon as commit() has resolved', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await engine.commit([put('a'), put('b')]);
  await engine.commit([{ type: 'del', key: 'a' }]);
  assert.deepEqual(await keysOf(await afterKill(t, directory)), ['b']);
});

test('LevelDbStore: close() writes all appends (writes without a waiting caller) that are still in the queue', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  engine.append(put('alone'));
  await engine.close();
  assert.deepEqual(await keysOf(await openEngine(t, directory)), ['alone']);
});

test('LevelDbStore: close() waits for the current write, and then writes the queued appends (writes without a waiting caller)', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  const committed = engine.commit([put('committed')]);
  engine.append(put('appended'));
  await engine.close();
  await committed;
  assert.deepEqual(await keysOf(await openEngine(t, directory)), ['appended', 'committed']);
});

test('LevelDbStore: after the first write error no write is acknowledged, and onFailure is called once', async () => {
  const directory = scratchDirectory();
  const failures: Error[] = [];
  const engine = await LevelDbStore.open(directory, error => failures.push(error));
  await engine.commit([put('before')]);
  // Makes a later write fail: LevelDB cannot create its next log file if the directory is gone.
  rmSync(directory, { recursive: true });
  const megabyte = 'x'.repeat(1024 * 1024);
  const outcomes: PromiseSettledResult<void>[] = [];
  while (!engine.failed) {
    assert.ok(outcomes.length < 100, 'LevelDB writes to a directory that is gone');
    const first = engine.commit([put('big', megabyte)]);
    const second = engine.commit([put('more')]);
    // Requests the commit `third` while the store writes the commit `second`. So `third` is still in the queue if the
    // write of `second` fails.
    const third = first.then(() => engine.commit([put('yet more')]));
    outcomes.push(...(await Promise.allSettled([first, second, third])));
  }
  const [failure, ...others] = failures;
  assert.match(failure?.message ?? '', /^a write failed, so the store accepts no more writes: .*IO error/);
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
  await Promise.all([assert.rejects(commit, /accepts no more writes/), engine.close()]);
  assert.equal(failures.length, 1);
  assert.equal(engine.failed, true);
});
