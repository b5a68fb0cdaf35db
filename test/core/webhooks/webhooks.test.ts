import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, SERVER } from './hook-world.ts';

const TOKEN = 'tok_000000000001';

test('a webhook that is deleted many times at once frees one place of its token', async t => {
  const world = await HookWorld.open(t);
  const { id } = await world.create();
  for (let i = 1; i < 10; i++) await world.create();
  await Promise.all(Array.from({ length: 12 }, () => world.hooks.remove(id)));
  await world.create();
  await assert.rejects(world.create(), { code: 'HOOK_2' });
  assert.equal(world.hooks.webhooks.list(TOKEN).length, 10);
});

test('a webhook whose delivery fails while it is deleted does not return after a restart', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  world.offline();
  const [leased] = await world.lease();
  const removed = world.hooks.remove(id);
  world.report(leased?.leaseId ?? 0, 500);
  await removed;
  await world.settle();
  await world.restart();
  assert.equal(world.hooks.webhooks.get(id), undefined);
});

test('a webhook stays with its queue if the store refuses its deletion', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER);
  const { id } = await world.create();
  world.offline(SERVER);
  await world.settle();
  world.level.pause('the disk is nearly full');
  await assert.rejects(world.hooks.remove(id), { name: 'NoWrites' });
  world.level.pause(undefined);
  assert.deepEqual(await world.events(), ['offline']);
});
