import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchEngine } from '../../scratch-store.ts';
import { keysOf, put } from './engine-entries.ts';

test('LevelDbStore: entries() yields the entries of a prefix in key order, or only those after a given key', async t => {
  const engine = await scratchEngine(t);
  await engine.commit(['s/b', 't/x', 's/a', 's/', 's/c', 'r/z', 's0'].map(key => put(key)));
  assert.deepEqual(await keysOf(engine, 's/'), ['s/', 's/a', 's/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 's/a'), ['s/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 's/aa'), ['s/b', 's/c']);
  assert.deepEqual(await keysOf(engine, 's/', 'a'), ['s/', 's/a', 's/b', 's/c'], 'before the prefix');
  assert.deepEqual(await keysOf(engine, 's/', 't/'), [], 'behind the prefix');
});

test('LevelDbStore: entries() frees its iterator if the caller stops reading early', async t => {
  const engine = await scratchEngine(t);
  await engine.commit([put('a'), put('b')]);
  for await (const [key] of engine.entries('')) {
    assert.equal(key, 'a');
    break;
  }
  await engine.close();
});

test('LevelDbStore: readAll() visits all entries of a prefix in key order, even if there are thousands', async t => {
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
