import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateBudget } from '../../../core/webhooks/state-budget.ts';
import { HookWorld, SERVER, when } from './hook-world.ts';

/** Payload (status data) of a server with 250 listed players, about 20 KB. */
const crowd = (players: number) => ({
  players,
  playerList: Array.from({ length: 250 }, (_, i) => ({
    name: `player ${i} ${'x'.repeat(40)}`,
    score: i,
    time: players,
  })),
});

const conditions = (forMs: number) =>
  Array.from({ length: 20 }, (_, i) => when('players_over', { players: i + 2, forMs }));

test('if a change makes 20 conditions of a webhook true at once, they cause one delivery, and each payload is rendered only once', async t => {
  const world = await HookWorld.open(t);
  world.answer(SERVER, crowd(1));
  for (let i = 0; i < 5; i++) {
    await world.create({ servers: [SERVER], conditions: conditions(0) });
    await world.create({ servers: [SERVER], conditions: conditions(60_000) });
  }
  world.rendered = 0;
  world.answer(SERVER, crowd(40));
  const { deliveries } = world.hooks;
  await world.settle();
  assert.deepEqual([deliveries.size, deliveries.replaced], [5, 0]);
  assert.equal(world.rendered, 2);
  world.clock.at += 60_000;
  world.hooks.tick();
  await world.settle();
  // In total, the webhook engine has created 105 deliveries. Of these, `size` are in the queue, and `replaced` were
  // replaced by newer deliveries.
  assert.equal(deliveries.size + deliveries.replaced, 105);
  assert.equal(world.rendered, 3);
});

test('the field `before` of an event (the payload before the change) never contains a player list', async t => {
  const world = await HookWorld.open(t);
  world.answer(SERVER, crowd(1));
  await world.create({ servers: [SERVER], conditions: conditions(60_000) });
  world.answer(SERVER, crowd(40));
  await world.settle();
  const sizes: number[] = [];
  for await (const [, value] of world.level.entries('e/')) sizes.push(value.length);
  assert.equal(sizes.length, 20);
  assert.ok(Math.max(...sizes) < 2_000, `${Math.max(...sizes)} bytes`);
  await world.advance(60);
  const delivered = await world.deliverAll();
  assert.equal(delivered.length, 1);
  for (const { before, after } of delivered) {
    assert.deepEqual(
      Object.keys(after).filter(key => !(key in before)),
      ['raw'],
    );
    assert.deepEqual([before.players, after.players], [1, 40]);
  }
});

const many = Array.from({ length: 125 }, (_, i) => `csgo 192.0.2.7:${20_000 + i}`);

/**
 * Makes the player conditions of a webhook true for 125 servers, so that the webhook reaches its limit of stored
 * condition states.
 */
function fill(world: HookWorld): void {
  for (const server of many) world.online(server, 1);
  for (const server of many) world.online(server, 40);
}

test('a webhook with too many waiting events does not use the memory budget of the other webhooks of its token', async t => {
  const world = await HookWorld.open(t);
  for (const server of many) world.online(server, 1);
  const { id } = await world.create({ servers: many, conditions: conditions(60_000) });
  fill(world);
  const { conditions: watched } = world.hooks;
  assert.ok(watched.dropped > 0, 'the webhook has no room left');
  assert.ok(watched.size > 1_000, `${watched.size} states`);
  const dropped = watched.dropped;
  await world.create({ conditions: [when('offline', { forMs: 60_000 })] });
  world.online();
  world.offline();
  assert.equal(watched.dropped, dropped);
  const [entry, ...more] = world.hooks.attemptsOf(id);
  assert.match(entry?.error ?? '', /was dropped/);
  assert.equal(more.length, 0);
});

test('if no memory is left for webhook conditions, a condition without a minimum duration still causes deliveries', async t => {
  const world = await HookWorld.open(t);
  for (const server of many) world.online(server, 1);
  world.online();
  const waiting = conditions(60_000).slice(1);
  await world.create({
    servers: [...many, SERVER],
    conditions: [when('offline'), ...waiting],
    cooldownMs: 60_000,
  });
  fill(world);
  for (const server of many) world.offline(server);
  const { size, dropped } = world.hooks.conditions;
  assert.ok(dropped > 0, 'the webhook has no room left');
  await world.settle();
  const { deliveries } = world.hooks;
  const before = deliveries.size + deliveries.replaced;
  world.offline();
  world.online(SERVER, 1);
  world.offline();
  await world.settle();
  assert.equal(world.hooks.conditions.size, size);
  assert.equal(deliveries.size + deliveries.replaced, before + 2);
  assert.equal(world.hooks.conditions.dropped, dropped);
});

test('if many webhook conditions become due at once, the core queues at most 200 deliveries at each tick of its timer', async t => {
  const world = await HookWorld.open(t);
  const servers = many.slice(0, 25);
  for (const server of servers) world.online(server, 1);
  await world.create({ servers, conditions: conditions(60_000) });
  for (const server of servers) world.online(server, 40);
  world.clock.at += 60_000;
  const fired: number[] = [];
  for (let i = 0; i < 3; i++) {
    world.hooks.tick();
    await world.settle();
    fired.push(world.hooks.deliveries.size + world.hooks.deliveries.replaced);
  }
  assert.deepEqual(fired, [200, 400, 500]);
});

test('if one token fills the memory for webhook conditions, another token still gets an equal share of this memory', () => {
  const budget = new StateBudget({ ofWebhook: 60, ofAll: 100 });
  const owner = (hookId: string, tokenId: string) => ({ hookId, tokenId });
  const [one, two, three] = [owner('hook_1', 'tok_1'), owner('hook_2', 'tok_1'), owner('hook_3', 'tok_2')];
  budget.count(one, 60);
  assert.equal(budget.hasRoom(one, 1), false);
  assert.equal(budget.hasRoom(two, 40), true);
  budget.count(two, 40);
  assert.equal(budget.hasRoom(two, 1), false);
  assert.equal(budget.hasRoom(three, 50), true);
  assert.equal(budget.hasRoom(three, 51), false);
  budget.count(three, 50);
  assert.equal(budget.hasRoom(two, 1), false);
  budget.count(one, -60);
  assert.equal(budget.hasRoom(two, 10), true);
});
