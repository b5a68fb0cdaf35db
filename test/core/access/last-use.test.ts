import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LastUse } from '../../../core/access/last-use.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { clockAt } from '../clock.ts';
import { scratchEngine } from '../scratch-store.ts';

async function opened(t: TestContext) {
  const clock = clockAt();
  const opened: LastUse[] = [];
  // Registered before the store, so this runs before the store closes.
  t.after(() => {
    for (const lastUse of opened) lastUse.close();
  });
  const engine = await scratchEngine(t);
  const load = async (): Promise<LastUse> => {
    const lastUse = await LastUse.load(engine, clock.now);
    opened.push(lastUse);
    return lastUse;
  };
  return { clock, engine, load, lastUse: await load() };
}

async function keys(engine: LevelDbStore): Promise<string[]> {
  // The commit resolves after every earlier append is written.
  await engine.commit([{ type: 'del', key: 'nothing' }]);
  const found: string[] = [];
  for await (const [key] of engine.entries('u/')) found.push(key);
  return found;
}

test('the last use of a token is 0 before its first use', async t => {
  const { clock, lastUse } = await opened(t);
  const start = clock.at;
  assert.equal(lastUse.at('a'), 0);
  lastUse.note('a');
  clock.at += 5000;
  lastUse.note('b');
  assert.deepEqual([lastUse.at('a'), lastUse.at('b'), lastUse.at('c')], [start, start + 5000, 0]);
  lastUse.note('a');
  assert.equal(lastUse.at('a'), start + 5000);
});

test('last uses of tokens are written behind and survive a restart', async t => {
  const { clock, engine, load, lastUse } = await opened(t);
  lastUse.note('tok_a');
  assert.deepEqual(await keys(engine), [], 'not with every use');
  lastUse.flush();
  assert.deepEqual(await keys(engine), ['u/tok_a']);
  clock.at += 60_000;
  lastUse.note('tok_a');
  lastUse.note('tok_b');
  lastUse.close();
  assert.deepEqual(await keys(engine), ['u/tok_a', 'u/tok_b']);
  const found = await load();
  assert.deepEqual([found.at('tok_a'), found.at('tok_b')], [clock.at, clock.at]);
});

test('a last use in the future, caused by a wrong clock, is corrected by the next use', async t => {
  const { clock, lastUse } = await opened(t);
  const right = clock.at;
  clock.at += 365 * 86_400_000;
  lastUse.note('a');
  clock.at = right;
  lastUse.note('a');
  assert.equal(lastUse.at('a'), right);
});
