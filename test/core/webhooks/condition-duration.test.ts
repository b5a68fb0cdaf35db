import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, OTHER, SERVER, when } from './hook-world.ts';

test('a webhook condition with a duration causes one delivery after it was true for the whole duration without interruption', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ conditions: [when('offline', { forMs: 180_000 })] });
  world.offline();
  await world.advance(100);
  world.online();
  world.offline();
  await world.advance(179);
  assert.deepEqual(await world.events(), []);
  await world.advance(2);
  assert.deepEqual(await world.events(), ['offline']);
  await world.advance(600);
  assert.deepEqual(await world.events(), []);
});

test('a restart of the core does not reset the time for which a webhook condition has been true, and causes no delivery', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER);
  world.online(OTHER);
  await world.create({ conditions: [when('offline', { forMs: 180_000 })] });
  world.offline(OTHER);
  await world.advance(181);
  assert.deepEqual(await world.events(), ['offline']);
  world.offline(SERVER);
  await world.advance(100);
  await world.restart();
  assert.deepEqual(await world.events(), []);
  await world.advance(81);
  assert.deepEqual(
    (await world.deliverAll()).map(({ server }) => server),
    ['192.0.2.1:27015'],
  );
  await world.restart();
  await world.advance(600);
  assert.deepEqual(await world.events(), []);
});

test('the duration of a webhook condition is counted from zero again if gsq could not query the server in the meantime', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ conditions: [when('offline', { forMs: 10_000 })] });
  world.offline();
  await world.advance(5);
  world.unknowable();
  await world.advance(10);
  assert.deepEqual(await world.events(), []);
  world.offline();
  await world.advance(9);
  assert.deepEqual(await world.events(), []);
  await world.advance(1);
  assert.deepEqual(await world.events(), ['offline']);
});

test('the duration of a webhook condition is counted from zero again if the data of the server became stale in the meantime', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3);
  await world.create({ conditions: [when('players_over', { players: 10, forMs: 30 * 60_000 })] });
  world.online(SERVER, 12);
  await world.advance(40 * 60);
  assert.deepEqual(await world.events(), []);
  world.online(SERVER, 12);
  for (let minute = 0; minute < 29; minute++) {
    await world.advance(60);
    world.online(SERVER, 12);
  }
  await world.advance(59);
  assert.deepEqual(await world.events(), []);
  await world.advance(1);
  assert.deepEqual(await world.events(), ['players_over']);
});
