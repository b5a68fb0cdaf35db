import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LastUse } from '../../../core/access/last-use.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { clockAt } from '../clock.ts';
import { scratchEngine } from '../scratch-store.ts';

async function opened(t: TestContext) {
  const clock = clockAt();
  const opened: LastUse[] = [];
  // Closes all `LastUse` objects (last-use times of tokens) at the end of the test. This hook is registered before the
  // hook of `scratchEngine`, which closes the store. Hooks run in the order of their registration, so the `LastUse`
  // objects are closed before their store.
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
  // Makes one more write and waits until it is stored. The storage engine stores writes in order, so all earlier writes
  // are then stored too.
  await engine.commit([{ type: 'del', key: 'nothing' }]);
  const found: string[] = [];
  for await (const [key] of engine.entries('u/')) found.push(key);
  return found;
}

test('the last-use time of a token is the time of its newest use, or 0 if the token was never used', async t => {
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

test('the last-use times of tokens are written to the store with a delay, and survive a restart', async t => {
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

test('a last-use time in the future, caused by a wrong clock, is corrected at the next use of the token', async t => {
  const { clock, lastUse } = await opened(t);
  const right = clock.at;
  clock.at += 365 * 86_400_000;
  lastUse.note('a');
  clock.at = right;
  lastUse.note('a');
  assert.equal(lastUse.at('a'), right);
});
