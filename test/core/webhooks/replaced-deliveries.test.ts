import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, SERVER, when } from './hook-world.ts';

test('a new webhook event replaces the queued event of the same server and kind', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  for (let i = 0; i < 5; i++) {
    world.offline();
    world.online();
  }
  await world.settle();
  assert.equal(world.hooks.deliveries.countOf(id), 2);
  assert.equal(world.hooks.deliveries.replaced, 8);
});

test('a webhook delivery stays in its queue if the store cannot write the newer delivery that should replace it', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ servers: [SERVER], conditions: [when('offline')] });
  world.offline();
  await world.settle();
  world.online();
  t.mock.method(world.level, 'commit', () => Promise.reject(new Error('the disk is full')), { times: 1 });
  world.offline();
  await world.settle();
  assert.equal(world.hooks.deliveries.countOf(id), 1);
  assert.deepEqual(await world.events(), ['offline']);
});

test('a webhook delivery that replaces a failed delivery is not sent before the retry time of the failed delivery', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ servers: [SERVER] });
  world.offline();
  const [leased] = await world.lease();
  world.report(leased?.leaseId ?? 0, 429, { retryAfterSeconds: 600 });
  world.online();
  world.offline();
  await world.advance(599);
  assert.deepEqual((await world.lease()).length, 0);
  await world.advance(2);
  const [online] = await world.lease();
  world.report(online?.leaseId ?? 0, 200);
  const [again] = await world.lease();
  assert.notEqual(again?.headers['webhook-id'], leased?.headers['webhook-id']);
  world.report(again?.leaseId ?? 0, 503);
  const { nextAt = 0, at = 0 } = world.hooks.attemptsOf(id)[0] ?? {};
  assert.ok(nextAt - at >= 24_000, 'the wait after the second failure');
});
