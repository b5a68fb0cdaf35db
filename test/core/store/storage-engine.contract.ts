import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SetDigest } from '../../../core/store/set-digest.ts';
import type { CountedPut, Operation, StorageEngine } from '../../../core/store/storage-engine.ts';

/**
 * A storage engine under test. `afterKill` simulates a kill of the process: opens a new engine that contains only the
 * durable entries.
 */
export interface OpenedEngine {
  engine: StorageEngine;
  afterKill(): Promise<StorageEngine>;
}

const put = (key: string, value = key): Operation => ({ type: 'put', key, value: Buffer.from(value) });
const insert = (key: string): CountedPut => ({ type: 'put', key, value: Buffer.from(key), adds: 1 });

async function keysOf(engine: StorageEngine, prefix = '', after?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of engine.entries(prefix, after)) keys.push(key);
  return keys;
}

/**
 * Defines the tests that every `StorageEngine` must pass. `open` must return an empty engine, and close this engine
 * when the test ends.
 */
export function storageEngineContract(name: string, open: (t: TestContext) => Promise<OpenedEngine>): void {
  const check = (what: string, run: (opened: OpenedEngine) => Promise<void>): void =>
    void test(`storage engine on ${name}: ${what}`, async t => run(await open(t)));

  check('a resolved commit() is durable, so its changes survive a kill', async ({ engine, afterKill }) => {
    await engine.commit([put('s/a'), put('s/b')]);
    await engine.commit([{ type: 'del', key: 's/a' }, put('s/c', 'new')]);
    assert.deepEqual(await keysOf(await afterKill()), ['s/b', 's/c']);
  });

  check(
    'a resolved insertIfAbsent() is durable, so the entries survive a kill',
    async ({ engine, afterKill }) => {
      assert.deepEqual([...(await engine.insertIfAbsent([insert('s/a'), insert('s/b')]))], []);
      assert.deepEqual(await keysOf(await afterKill()), ['s/a', 's/b']);
    },
  );

  check('an append is applied before a later commit', async ({ engine, afterKill }) => {
    for (const value of ['1', '2', '3']) assert.equal(engine.append(put('s/same', value)), true);
    await engine.commit([put('s/other')]);
    const found: string[] = [];
    await (await afterKill()).readAll('s/', (key, value) => void found.push(`${key} ${value}`));
    assert.deepEqual(found.sort(), ['s/other s/other', 's/same 3']);
  });

  check('close() writes all appended operations', async ({ engine, afterKill }) => {
    engine.append(put('s/a'));
    await engine.close();
    assert.deepEqual(await keysOf(await afterKill()), ['s/a']);
  });

  check(
    'entries() yields the entries of a prefix in key order, optionally after a start key',
    async ({ engine }) => {
      await engine.commit(['s/b', 't/x', 's/a', 's/', 's/d', 's/c', 'r/z', 's0'].map(key => put(key)));
      assert.deepEqual(await keysOf(engine, 's/'), ['s/', 's/a', 's/b', 's/c', 's/d']);
      assert.deepEqual(await keysOf(engine, 's/', 's/a'), ['s/b', 's/c', 's/d']);
      assert.deepEqual(await keysOf(engine, 's/', 's/aa'), ['s/b', 's/c', 's/d']);
      assert.deepEqual(await keysOf(engine, 's/', 't/'), []);
    },
  );

  check('the reader of entries() is allowed to stop early', async ({ engine }) => {
    await engine.commit([put('a'), put('b'), put('c')]);
    for await (const [key] of engine.entries('')) {
      assert.equal(key, 'a');
      break;
    }
  });

  check('readAll() rejects with the error that its visitor throws', async ({ engine }) => {
    await engine.commit([put('a'), put('b')]);
    const thrown = new Error('no');
    await assert.rejects(
      engine.readAll('', () => {
        throw thrown;
      }),
      thrown,
    );
  });

  check(
    'a paused engine refuses all writes with the given reason, and accepts writes after the pause ends',
    async ({ engine }) => {
      engine.pause('no room');
      const refusal = { name: 'NoWrites', code: 'CORE_1', message: 'no room' };
      await assert.rejects(engine.commit([put('a')]), refusal);
      await assert.rejects(engine.insertIfAbsent([insert('s/a')]), refusal);
      assert.equal(engine.append(put('a')), false);
      assert.deepEqual([engine.refusal?.message, engine.failed], ['no room', false]);
      engine.pause(undefined);
      await engine.commit([put('b')]);
      assert.deepEqual(await keysOf(engine), ['b']);
    },
  );

  check('watchWrites() reports each group of operations that was written', async ({ engine }) => {
    const groups: boolean[] = [];
    engine.watchWrites(({ sync }) => void groups.push(sync));
    await engine.commit([put('a')]);
    assert.deepEqual(groups, [true]);
  });

  check(
    'after all digests are verified, finishLoading() succeeds, and the engine accepts writes',
    async ({ engine, afterKill }) => {
      for (const prefix of ['s/', 't/', 'c/'] as const) engine.verify(prefix, new SetDigest());
      await engine.finishLoading();
      await engine.insertIfAbsent([insert('s/a')]);
      const found = await afterKill();
      assert.deepEqual(await keysOf(found, 's/'), ['s/a']);
    },
  );
}
