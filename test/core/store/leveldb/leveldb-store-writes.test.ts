import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { openEngine } from '../../scratch-store.ts';
import { keysOf, put } from './engine-entries.ts';

/**
 * Returns the number of operations in each write of the newest LevelDB log file. The file must be shorter than one
 * block (32 KiB). LevelDB's doc/log_format.md describes the format.
 */
function writesOf(directory: string): number[] {
  const name = readdirSync(directory)
    .filter(file => file.endsWith('.log'))
    .sort()
    .at(-1);
  const log = readFileSync(join(directory, name ?? ''));
  assert.ok(log.length < 32 * 1024, 'more than one block');
  const counts: number[] = [];
  // A record of LevelDB's log has a header (7 bytes), a sequence number (8 bytes), the number of operations (4 bytes)
  // and operations.
  for (let at = 0; at + 7 <= log.length; at += 7 + log.readUInt16LE(at + 4)) {
    counts.push(log.readUInt32LE(at + 7 + 8));
  }
  return counts;
}

test('LevelDbStore: commits that arrive during a write are written together in the next write', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await Promise.all(Array.from({ length: 50 }, (_, i) => engine.commit([put(`k${i}`)])));
  assert.deepEqual(writesOf(directory), [1, 49]);
  assert.equal((await keysOf(engine)).length, 50);
});

test('LevelDbStore: a commit (a write with a waiting caller) also writes all queued appends, in a single disk write', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  for (const value of ['1', '2', '3']) engine.append(put('same', value));
  assert.deepEqual(writesOf(directory), []);
  await engine.commit([put('other')]);
  assert.deepEqual(writesOf(directory), [4]);
  for await (const [key, value] of engine.entries('same'))
    assert.deepEqual([key, value.toString()], ['same', '3']);
});

test('LevelDbStore: as soon as 200 appends (writes without a waiting caller) are queued, the store writes them together', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  for (let i = 0; i < 250; i++) engine.append(put(`k${i}`));
  await engine.close();
  assert.deepEqual(writesOf(directory), [200, 50]);
});

test('LevelDbStore: a single append (a write without a waiting caller) reaches the disk even if no other operation follows', {
  timeout: 10_000,
}, async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  engine.append(put('alone'));
  while (writesOf(directory).length === 0) await new Promise(setImmediate);
  assert.deepEqual(writesOf(directory), [1]);
});

test('LevelDbStore: a paused store refuses writes with the given reason, and accepts writes after the pause', async t => {
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

test('LevelDbStore: append() returns false while the queue is full', async t => {
  const engine = await openEngine(t, scratchDirectory());
  let taken = 0;
  // No write ends during this loop, because the loop never yields to the event loop. Therefore the queue of writes
  // becomes full.
  while (engine.append(put(`k${taken}`))) {
    taken++;
    assert.ok(taken < 100_000, 'the backlog has no end');
  }
  assert.ok(taken >= 20_000);
  await engine.commit([put('committed')]);
  assert.equal(engine.append(put('then')), true);
  assert.equal((await keysOf(engine, 'k')).length, taken);
});
