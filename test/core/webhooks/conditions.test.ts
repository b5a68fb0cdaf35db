import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConditionStates } from '../../../core/webhooks/condition-states.ts';
import { HookWorld, OTHER, SERVER, when } from './hook-world.ts';

const DAY_MS = 86_400_000;

test('after the registration of a webhook, the first known status of a server causes no delivery', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create();
  world.online(SERVER, 4);
  world.online(OTHER);
  assert.deepEqual(await world.events(), []);
  world.offline();
  assert.deepEqual(await world.events(), ['offline']);
  world.online();
  assert.deepEqual(await world.events(), ['online']);
});

test('the webhook condition players_over causes a second delivery only after the number of players was at or below the limit', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3);
  await world.create({ conditions: [when('players_over', { players: 10 })] });
  for (const players of [11, 12, 11]) world.online(SERVER, players);
  // The server goes offline and returns with 11 players. This must not cause a second delivery: while it is offline,
  // its record keeps the last known number, 11, so the number has not risen above the limit of 10 a second time.
  world.offline();
  world.online(SERVER, 11);
  assert.deepEqual(await world.events(), ['players_over']);
  world.online(SERVER, 10);
  world.online(SERVER, 11);
  assert.deepEqual(await world.events(), ['players_over']);
});

test('the events `full`, `empty` and `map` cause deliveries only for the servers that a webhook follows', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3);
  await world.create({ servers: [SERVER], conditions: [when('full'), when('empty'), when('map')] });
  world.online(SERVER, 16);
  world.online(SERVER, 0);
  world.online(SERVER, 0, 'de_nuke');
  world.online(OTHER, 0, 'de_nuke');
  assert.deepEqual(await world.events(), ['full', 'empty', 'map']);
});

test('if a webhook of a FREE token follows a game, it gets deliveries only for servers that this token has added', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER);
  world.online(OTHER);
  const other = world.records.get(OTHER);
  if (other) world.records.set(OTHER, { ...other, insertedBy: 'tok_000000000002' });
  await world.create({ servers: [], game: 'csgo' });
  world.offline(SERVER);
  world.offline(OTHER);
  assert.deepEqual(
    (await world.deliverAll()).map(({ server }) => server),
    ['192.0.2.1:27015'],
  );
  await world.create({ servers: [], game: 'csgo' }, 'tok_000000000002');
  world.online(OTHER);
  assert.deepEqual(await world.events(), ['online']);
});

test('after a time in which gsq could not query a server, a webhook gets an event only if the status has changed', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create();
  world.offline();
  assert.deepEqual(await world.events(), ['offline']);
  await world.advance(60);
  world.unknowable();
  world.offline();
  world.unknowable();
  assert.deepEqual(await world.events(), []);
  world.online();
  assert.deepEqual(await world.events(), ['online']);
});

test('a map change causes a delivery even if an answer without a map comes between the two maps', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3, 'a');
  await world.create({ conditions: [when('map')] });
  for (const map of ['', '', 'a', '']) world.online(SERVER, 3, map);
  assert.deepEqual(await world.deliverAll(), []);
  world.online(SERVER, 3, 'b');
  const [delivery, ...others] = await world.deliverAll();
  assert.deepEqual([delivery?.before.map, delivery?.after.map, others], ['a', 'b', []]);
});

test('when ConditionStates forgets the state of a webhook condition, it also removes the timer of this state', async t => {
  const world = await HookWorld.open(t);
  const states = new ConditionStates(world.level);
  const state = { index: 0, isArmed: true, since: 1, firedAt: 0, before: 'null' };
  for (const hookId of ['hook_1', 'hook_2']) {
    for (const server of [SERVER, OTHER]) {
      const added = states.put({ tokenId: 'tok_1' }, { ...state, hookId, server });
      assert.ok(added);
      states.schedule(added, DAY_MS);
    }
  }
  states.removeAll('hook_1');
  assert.deepEqual([states.size, states.scheduled], [2, 2]);
  for (const each of [...states.all()]) states.forget(each);
  assert.deepEqual([states.size, states.scheduled], [0, 0]);
});

test('a webhook delivery that could not be stored is sent later, if its condition is still true', async t => {
  for (const cooldownMs of [0, 600_000]) {
    const world = await HookWorld.open(t);
    world.online();
    await world.create({ conditions: [when('offline')], cooldownMs });
    const failing = t.mock.method(world.level, 'commit', () => Promise.reject(new Error('no space')));
    world.offline();
    await new Promise(setImmediate);
    world.online();
    world.offline();
    await new Promise(setImmediate);
    world.online();
    failing.mock.restore();
    await world.advance(60);
    assert.deepEqual(await world.events(), []);
    t.mock.method(world.level, 'commit', () => Promise.reject(new Error('no space')));
    world.offline();
    await new Promise(setImmediate);
    t.mock.restoreAll();
    await world.advance(4);
    assert.deepEqual(await world.events(), []);
    await world.advance(1);
    assert.deepEqual(await world.events(), ['offline']);
    world.online();
    world.offline();
    await world.settle();
    const sentNow = cooldownMs === 0 ? ['offline'] : [];
    assert.deepEqual(await world.events(), sentNow);
    await world.restart();
    await world.advance(1);
    assert.deepEqual(await world.events(), []);
  }
});

test('if another core owns the record of a server, a webhook condition on this server is checked only after the record has arrived', async t => {
  const world = await HookWorld.open(t);
  for (const server of [SERVER, OTHER]) world.online(server);
  await world.create({ conditions: [when('offline', { forMs: 60_000 })] });
  for (const server of [SERVER, OTHER]) world.offline(server);
  world.unread.add(SERVER);
  await world.advance(90);
  assert.deepEqual(
    (await world.deliverAll()).map(({ server }) => server),
    [OTHER.slice(OTHER.indexOf(' ') + 1)],
  );
  world.unread.clear();
  await world.advance(1);
  assert.deepEqual(await world.events(), ['offline']);
});
