import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookCondition } from '../../../core/webhooks/webhook.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { HookWorld, SERVER, when } from './hook-world.ts';

/**
 * Cooldowns and durations of the webhook conditions in this test, ms. The last value is longer than the time after
 * which the data of a server is stale.
 */
const SPANS_MS = [0, 0, 15_000, 40_000, 620_000];

/**
 * Simple implementation of one webhook condition, for comparison with the webhook engine. `fired`: the times at which
 * the engine must send a delivery.
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

  /**
   * Processes one observation at the time `at`. `value`: true if the webhook condition is true at this time, false if
   * it is not, undefined if this is unknown.
   */
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

/**
 * A simulated game server. `probe` reports a random result to the webhook engine. `shows` returns whether a webhook
 * condition is true now.
 */
class RandomServer {
  readonly #world: HookWorld;
  readonly #random: (below: number) => number;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #status: 'pending' | 'online' | 'offline' = 'pending';
  #isUnknowable = false;
  /** Number of players in the last answer of the game server. Undefined if the answer did not contain it. */
  #players: number | undefined = 0;

  constructor(world: HookWorld, random: (below: number) => number) {
    this.#world = world;
    this.#random = random;
  }

  probe(): void {
    const outcome = this.#random(6);
    // A failed probe must be at least 1 ms later than the last answer of the server, because records store times in
    // whole milliseconds.
    if (outcome === 0 && this.#answeredAt < this.#world.clock.at) {
      this.#world.unknowable();
      this.#isUnknowable = true;
      return;
    }
    this.#isUnknowable = false;
    if (outcome <= 1 && this.#answeredAt < this.#world.clock.at) {
      this.#world.offline();
      this.#status = 'offline';
    } else {
      this.#players = [0, 3, 8, 9, 16, undefined][this.#random(6)];
      if (this.#players === undefined) this.#world.answerWithoutCounts(SERVER);
      else this.#world.online(SERVER, this.#players);
      this.#status = 'online';
      this.#answeredAt = this.#world.clock.at;
    }
  }

  /**
   * Returns whether the webhook condition `event` is true now. Undefined if this is unknown, for example because the
   * last answer is too old.
   */
  shows(event: HookCondition['event']): boolean | undefined {
    const isStale = this.#world.clock.at - this.#answeredAt > 600_000;
    const isPending = this.#status === 'offline' ? this.#isUnknowable : this.#status === 'pending' || isStale;
    if (isPending) return undefined;
    if (event === 'online' || event === 'offline') return event === this.#status;
    if (this.#status === 'offline' || this.#players === undefined) return undefined;
    if (event === 'players_over') return this.#players > 8;
    return this.#players === (event === 'full' ? 16 : 0);
  }
}

test('webhook conditions cause deliveries at the same times as a simple implementation of these conditions', async t => {
  const random = randomNumbers(24);
  const events = ['online', 'offline', 'full', 'empty', 'players_over'] as const;
  let fired = 0;
  for (let round = 0; round < 25; round++) {
    const world = await HookWorld.open(t);
    const server = new RandomServer(world, random);
    const cooldownMs = SPANS_MS[random(SPANS_MS.length)] ?? 0;
    const conditions = events.map(event =>
      when(event, {
        forMs: SPANS_MS[random(SPANS_MS.length)] ?? 0,
        players: event === 'players_over' ? 8 : 0,
      }),
    );
    await world.create({ conditions, cooldownMs, servers: [SERVER] });
    const naive = conditions.map(condition => new NaiveCondition(condition, cooldownMs));
    const found = conditions.map((): number[] => []);
    const collect = async (): Promise<void> => {
      if (world.hooks.deliveries.size === 0) return;
      for (const { event } of await world.deliverAll())
        found[conditions.findIndex(condition => condition.event === event)]?.push(world.clock.at);
    };
    const see = (): void => {
      for (const [i, each] of naive.entries()) each.see(server.shows(events[i] ?? 'map'), world.clock.at);
    };
    for (let step = 0; step < 250; step++) {
      if (random(5) === 0) {
        server.probe();
        see();
        await collect();
      }
      // Sometimes waits about ten minutes before the next probe of the game server. The server's data becomes stale
      // after 600 s without an answer.
      for (let seconds = random(40) === 0 ? 590 + random(60) : 1; seconds > 0; seconds--) {
        world.clock.at += 1_000;
        see();
        world.hooks.tick();
        await collect();
      }
    }
    assert.deepEqual(
      found,
      naive.map(({ fired }) => fired),
      `round ${round}`,
    );
    fired += found.flat().length;
  }
  assert.ok(fired > 200, `${fired} deliveries`);
});
