import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, SERVER, when } from './hook-world.ts';

test('a webhook condition that becomes true during the cooldown causes a delivery only if it is still true after the cooldown', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ conditions: [when('offline')], cooldownMs: 60_000 });
  world.offline();
  assert.deepEqual(await world.events(), ['offline']);
  await world.advance(10);
  world.online();
  world.offline();
  world.online();
  await world.advance(100);
  assert.deepEqual(await world.events(), []);
  world.offline();
  assert.deepEqual(await world.events(), ['offline']);
  world.online();
  world.offline();
  await world.advance(61);
  assert.deepEqual(await world.events(), ['offline']);
});

test('a map change during the cooldown of a webhook causes a delivery after the cooldown if the map is still different', async t => {
  const world = await HookWorld.open(t);
  const maps: string[] = [];
  const deliver = async (): Promise<void> => {
    for (const { before, after } of await world.deliverAll()) maps.push(`${before.map} ${after.map}`);
  };
  world.online(SERVER, 3, 'a');
  await world.create({ conditions: [when('map')], cooldownMs: 60_000 });
  world.online(SERVER, 3, 'b');
  await deliver();
  world.online(SERVER, 3, 'c');
  world.online(SERVER, 3, 'b');
  await world.advance(61);
  await deliver();
  assert.deepEqual(maps, ['a b']);
  world.online(SERVER, 3, 'c');
  await deliver();
  world.online(SERVER, 3, 'd');
  world.offline();
  await world.advance(61);
  await deliver();
  assert.deepEqual(maps, ['a b', 'b c']);
  world.online(SERVER, 3, 'd');
  await deliver();
  assert.deepEqual(maps, ['a b', 'b c', 'c d']);
});
