import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, SERVER, when } from './hook-world.ts';

/** A full server whose payload has 20 KB. */
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

test('a change renders each payload once, however many conditions become true', async t => {
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
  // A delivery replaces the queued one of the same event.
  assert.equal(deliveries.size + deliveries.replaced, 100);
  assert.equal(world.rendered, 2);
  world.clock.at += 60_000;
  world.hooks.tick();
  await world.settle();
  assert.equal(deliveries.size + deliveries.replaced, 200);
  assert.equal(world.rendered, 3);
});

test('the payload before an event has no list of players, neither in the store nor in the delivery', async t => {
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
