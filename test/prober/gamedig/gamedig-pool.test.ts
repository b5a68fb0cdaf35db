import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { HERE, openedGamedigPools } from './opened-gamedig-pools.ts';

const SPINNING = new URL('./spinning-worker.ts', import.meta.url);
const { pool, realTime } = openedGamedigPools();

test('the gamedig pool kills and replaces a worker that hangs, and answers the open queries of this worker with `fault` (local error)', async () => {
  // The test's clock does not advance while workers start. A slow machine therefore causes no timeouts.
  let time = 0;
  const wheel = new TimerWheel(() => time);
  const { gamedig, warnings } = pool(wheel, SPINNING);
  assert.equal((await gamedig.ask('answers', HERE, 2000)).kind, 'online');
  const unanswered = gamedig.ask('waits', HERE, 60_000);
  let killed = false;
  const stuck = gamedig.ask('spins', HERE, 2000).finally(() => {
    killed = true;
  });
  while (!killed) {
    time += 25;
    wheel.turn();
    await new Promise(resolve => setImmediate(resolve));
  }
  for (const answer of [await stuck, await unanswered]) {
    assert.ok(answer.kind === 'fault' && answer.detail.includes('stuck'), JSON.stringify(answer));
  }
  assert.equal((await gamedig.ask('answers', HERE, 2000)).kind, 'online');
  assert.equal(warnings.length, 1);
});

test('the gamedig pool does not include the error text of a failed worker in the answers to queries', async () => {
  const { gamedig, warnings } = pool(realTime(), SPINNING);
  const others = gamedig.ask('waits', HERE, 20_000);
  const failed = { kind: 'fault', detail: 'the thread failed by an uncaught error' };
  assert.deepEqual(await gamedig.ask('throws', HERE, 20_000), failed);
  assert.deepEqual(await others, failed);
  assert.deepEqual(await gamedig.ask('swells', HERE, 60_000), {
    kind: 'fault',
    detail: 'the thread ran out of memory',
  });
  while (warnings.length < 2) await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(warnings, [
    'a gamedig worker failed by an uncaught error and will be replaced',
    'a gamedig worker ran out of memory and will be replaced',
  ]);
});

test('the gamedig pool replaces a worker that exits, and later queries work', async () => {
  const { gamedig, warnings } = pool(realTime(), SPINNING);
  const answer = await gamedig.ask('crashes', HERE, 20_000);
  assert.ok(answer.kind === 'fault' && answer.detail.includes('exited with code 3'), JSON.stringify(answer));
  assert.equal((await gamedig.ask('answers', HERE, 20_000)).kind, 'online');
  assert.equal(warnings.length, 1);
});

test('the gamedig pool checks the rate limits only when a worker is free, and sends no query if the limits allow no packets', async () => {
  let time = 0;
  const wheel = new TimerWheel(() => time);
  const { gamedig } = pool(wheel, SPINNING);
  const waiting = Array.from({ length: 16 }, () => gamedig.ask('waits', HERE, 600_000));
  let reserved = 0;
  const mayStart = (hasRoom: boolean) => async () => {
    reserved++;
    return hasRoom;
  };
  const late = gamedig.ask('answers', HERE, 1_000, undefined, mayStart(true));
  const refused = gamedig.ask('answers', HERE, 600_000, undefined, mayStart(false));
  const inTime = gamedig.ask('answers', HERE, 600_000, undefined, mayStart(true));
  await new Promise(resolve => setImmediate(resolve));
  assert.equal(reserved, 0);
  time += 1_001;
  // close() ends the open queries, so the pool now handles the queued queries.
  await gamedig.close();
  await Promise.all(waiting);
  assert.deepEqual(await late, { kind: 'fault', detail: 'waited too long for a gamedig worker' });
  assert.deepEqual(await refused, { kind: 'fault', detail: 'no room for a packet' });
  assert.deepEqual(await inTime, { kind: 'fault', detail: 'closed' });
  assert.equal(reserved, 2);
});

test('the gamedig pool answers a query with `fault` (local error) if the queue of the pool is full or the pool is closed', async () => {
  const { gamedig } = pool(realTime(), SPINNING);
  const asked = Array.from({ length: 16 + 256 }, () => gamedig.ask('waits', HERE, 600_000));
  assert.deepEqual(await gamedig.ask('answers', HERE, 1000), {
    kind: 'fault',
    detail: 'too many gamedig queries in line',
  });
  await gamedig.close();
  for (const answer of await Promise.all(asked)) assert.equal(answer.kind, 'fault');
});
