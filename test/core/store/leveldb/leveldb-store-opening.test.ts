import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { openEngine } from '../../scratch-store.ts';
import { keysOf, put } from './engine-entries.ts';

test('LevelDbStore: a directory cannot be opened a second time while it is open, and the first store continues to work', async t => {
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

test('LevelDbStore: opening a locked directory fails and removes no file, even if a table file is damaged', async t => {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  await engine.commit([put('a')]);
  // Opens LevelDB again, so that it moves the entries of its log into a table file. The test then damages this file.
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

test('LevelDbStore: opening a file instead of a directory is refused, and the error contains the path', async () => {
  const file = join(scratchDirectory(), 'file');
  writeFileSync(file, '');
  await assert.rejects(
    LevelDbStore.open(file, () => {}),
    (error: Error) => error.message.startsWith(`cannot open the store in ${file}: EEXIST`),
  );
});

test('LevelDbStore: reopen() keeps all entries, even those that are written while reopen() runs', async t => {
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
