import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConditionStates } from '../../../core/webhooks/condition-states.ts';
import type { HookCondition } from '../../../core/webhooks/webhook.ts';
import { HookWorld, OTHER, SERVER, when } from './hook-world.ts';

const DAY_MS = 86_400_000;

test('the first verdict after a registration is the base line of the conditions', async t => {
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

test('a condition with a duration fires only if it holds without interruption, and fires once', async t => {
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

test('players_over fires again only after the number of players was not over the limit', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3);
  await world.create({ conditions: [when('players_over', { players: 10 })] });
  for (const players of [11, 12, 11]) world.online(SERVER, players);
  // A server that goes offline and returns with as many players has not been below the limit.
  world.offline();
  world.online(SERVER, 11);
  assert.deepEqual(await world.events(), ['players_over']);
  world.online(SERVER, 10);
  world.online(SERVER, 11);
  assert.deepEqual(await world.events(), ['players_over']);
});

test('full, empty and a change of the map fire for the servers that a webhook follows', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER, 3);
  await world.create({ servers: [SERVER], conditions: [when('full'), when('empty'), when('map')] });
  world.online(SERVER, 16);
  world.online(SERVER, 0);
  world.online(SERVER, 0, 'de_nuke');
  world.online(OTHER, 0, 'de_nuke');
  assert.deepEqual(await world.events(), ['full', 'empty', 'map']);
});

test('during the cooldown a condition waits, and its delivery is dropped if it ends before', async t => {
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

test('a webhook of a FREE token that follows a game gets only the servers that the token inserted', async t => {
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

test('after a restart a condition continues to wait, and neither fires twice nor for what was so before', async t => {
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

test('a duration that begins anew after an unknown time ends when it has passed', async t => {
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

test('a server that could not be queried between two verdicts sends the second one if it differs', async t => {
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

test('a state that is not needed any more is neither in memory nor in the heap', async t => {
  const world = await HookWorld.open(t);
  const { engine, ...state } = { engine: world.level, index: 0, isArmed: true, firedAt: 0, before: 'null' };
  const states = new ConditionStates(engine);
  for (const hookId of ['hook_1', 'hook_2'])
    for (const server of [SERVER, OTHER])
      states.schedule(states.add({ ...state, hookId, server, since: 1 }), DAY_MS);
  states.removeAll('hook_1');
  assert.deepEqual([states.size, states.scheduled], [2, 2]);
  for (const each of [...states.all()]) states.forget(each);
  assert.deepEqual([states.size, states.scheduled], [0, 0]);
});

/** Plain implementation of one condition: remembers everything, and looks at every second. */
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

  /** `value`: undefined while it is not known. */
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

test('the conditions fire exactly when a naive reference fires', async t => {
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
