import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookCondition } from '../../../core/webhooks/webhook.ts';
import { HookWorld, OTHER, SERVER, when } from './hook-world.ts';

test('a condition that is already true when a webhook is registered causes no delivery', async t => {
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

test('a condition with a duration causes one delivery, and only if it is true without interruption', async t => {
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

test('players_over causes a second delivery only after the number of players was at or below the limit', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3);
  await world.create({ conditions: [when('players_over', { players: 10 })] });
  for (const players of [11, 12, 11]) world.online(SERVER, players);
  // An offline server keeps its number of players. So a server that returns with 11 players was not below the limit of
  // 10 meanwhile.
  world.offline();
  world.online(SERVER, 11);
  assert.deepEqual(await world.events(), ['players_over']);
  world.online(SERVER, 10);
  world.online(SERVER, 11);
  assert.deepEqual(await world.events(), ['players_over']);
});

test('full, empty and map cause deliveries for the servers that a webhook follows', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3);
  await world.create({ servers: [SERVER], conditions: [when('full'), when('empty'), when('map')] });
  world.online(SERVER, 16);
  world.online(SERVER, 0);
  world.online(SERVER, 0, 'de_nuke');
  world.online(OTHER, 0, 'de_nuke');
  assert.deepEqual(await world.events(), ['full', 'empty', 'map']);
});

test('a condition waits during the cooldown, and causes no delivery if it becomes false before the cooldown ends', async t => {
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

test('a webhook of a FREE token that follows a game gets deliveries only for the servers that the token inserted', async t => {
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

test('a waiting condition continues after a restart, and the restart itself causes no delivery', async t => {
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

/**
 * Reference for tests, a plain implementation of one condition: remembers the state of every second, and looks at all
 * of them.
 */
class NaiveCondition {
  readonly fired: number[] = [];
  readonly #condition: HookCondition;
  readonly #cooldownMs: number;
  #hasFired: boolean | undefined;
  #since: number | undefined;

  constructor(condition: HookCondition, cooldownMs: number) {
    this.#condition = condition;
    this.#cooldownMs = cooldownMs;
  }

  /** `value`: whether the condition is true; undefined while that is not known. */
  see(value: boolean | undefined, at: number): void {
    if (value === undefined) this.#since = undefined;
    else if (!value) {
      this.#hasFired = false;
      this.#since = undefined;
    } else {
      this.#hasFired ??= true;
      if (!this.#hasFired) this.#since ??= at;
    }
    this.look(at);
  }

  look(at: number): void {
    const last = this.fired.at(-1);
    if (this.#since === undefined || at < this.#since + this.#condition.forMs) return;
    if (last !== undefined && at < last + this.#cooldownMs) return;
    this.fired.push(at);
    this.#hasFired = true;
    this.#since = undefined;
  }
}

test('conditions cause exactly the deliveries that a naive reference causes', async t => {
  let seed = 20_261_124;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  let fired = 0;
  for (let round = 0; round < 25; round++) {
    const world = await HookWorld.open(t);
    const cooldownMs = random(4) * 15_000;
    const conditions = (['online', 'offline', 'full', 'empty', 'players_over'] as const).map(event =>
      when(event, { forMs: random(3) * 20_000, players: event === 'players_over' ? 8 : 0 }),
    );
    await world.create({ conditions, cooldownMs, servers: [SERVER] });
    const naive = conditions.map(condition => new NaiveCondition(condition, cooldownMs));
    const found = conditions.map((): number[] => []);
    for (let step = 0; step < 250; step++) {
      const [isOnline, players] = [random(4) > 0, [0, 3, 8, 9, 16][random(5)] ?? 0];
      if (random(5) === 0) {
        if (isOnline) world.online(SERVER, players);
        else world.offline();
        const numbers = [undefined, undefined, players >= 16, players === 0, players > 8];
        for (const [i, each] of naive.entries())
          each.see(i < 2 ? isOnline === (i === 0) : isOnline ? numbers[i] : undefined, world.clock.at);
      }
      for (const { event } of await world.deliverAll())
        found[conditions.findIndex(condition => condition.event === event)]?.push(world.clock.at);
      world.clock.at += 1_000;
      for (const each of naive) each.look(world.clock.at);
      world.hooks.tick();
    }
    for (const { event } of await world.deliverAll())
      found[conditions.findIndex(condition => condition.event === event)]?.push(world.clock.at);
    assert.deepEqual(
      found,
      naive.map(({ fired }) => fired),
      `round ${round}`,
    );
    fired += found.flat().length;
  }
  assert.ok(fired > 200, `${fired} deliveries`);
});
