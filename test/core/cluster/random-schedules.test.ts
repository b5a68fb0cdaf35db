import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { StreamReader } from './feed-reader.ts';
import { FeedWorld, type WorldCore } from './feed-world.ts';
import { isTrue, until } from './three-cores.ts';

const OPEN_WAIT_MS = 2_000;
const STEPS = 300;
const KEYS = [...Array(24).keys()].map(
  n => `${n % 3 === 0 ? 'rust' : 'csgo'} 127.2.0.${n >> 1}:${27015 + (n % 2)}`,
);
const SEEDS = [1, 2, 3, 4, 113, 185];

/** Returns a random number generator. A call of the generator with n returns an integer from 0 to n - 1. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

interface Reading {
  reader: StreamReader;
  keys: readonly string[];
  servers: readonly string[] | string;
}

/** A simulated cluster with random events. All readers of change streams are on core `a`, which never dies. */
class RandomWorld {
  readonly #world: FeedWorld;
  readonly #a: WorldCore;
  readonly #below: (below: number) => number;
  /**
   * Buckets of servers that moved since core `a` last read the owners of the buckets. The test moves each bucket at
   * most once between two reads. Otherwise, core `a` would miss a move, which cannot happen to a real core.
   */
  readonly #moved = new Set<number>();
  readonly readings: Reading[] = [];
  #players = 1;
  #cores = 3;

  constructor(world: FeedWorld, a: WorldCore, below: (below: number) => number) {
    this.#world = world;
    this.#a = a;
    this.#below = below;
    world.delay = async () => {
      for (let turns = below(4); turns > 0; turns--) await new Promise(setImmediate);
    };
  }

  async step(): Promise<void> {
    const [world, below] = [this.#world, this.#below];
    const key = KEYS[below(KEYS.length)] ?? '';
    const kind = below(100);
    if (kind < 50) world.probe(key, ++this.#players, below(2) === 0);
    else if (kind < 58) this.#insertOrRemove(key);
    else if (kind < 68) this.#move(bucketOfServer(key), below(3) > 0);
    else if (kind < 76) this.#see();
    else if (kind < 80) this.#breakOrMend();
    else if (kind < 83) await this.#killOrAdd();
    else if (kind < 88) await this.#endOrResume();
    else if (kind < 92) this.open();
    else await new Promise(setImmediate);
    world.fire(OPEN_WAIT_MS);
  }

  /** Opens a change stream of some game servers, or of all servers of a game. */
  open(): void {
    if (this.readings.length >= 6) return;
    const keys =
      this.#below(2) === 0
        ? KEYS.filter(() => this.#below(2) === 0)
        : KEYS.filter(each => each.startsWith('csgo'));
    const servers = keys.every(each => each.startsWith('csgo')) ? 'csgo' : keys;
    if (keys.length > 0)
      this.readings.push({
        reader: new StreamReader(this.#a.feed, servers),
        keys: servers === 'csgo' ? KEYS.filter(each => each.startsWith('csgo')) : keys,
        servers,
      });
  }

  /** Reopens the change streams that ended because a core did not answer (error CORE_1). */
  reopen(): void {
    for (const reading of this.readings) {
      const { reader, servers } = reading;
      if (!reader.error) continue;
      assert.ok(reader.error instanceof ServiceError && reader.error.code === 'CORE_1', String(reader.error));
      reading.reader = new StreamReader(this.#a.feed, servers, reader.token, reader.states);
    }
  }

  /**
   * Repairs the simulated cluster: gives every server an owner, and restarts broken change streams. Afterwards, each
   * stream reader must get the current states of its servers.
   */
  settle(): void {
    this.#see();
    for (const [bucket, owner] of this.#world.owners.entries()) if (!owner) this.#world.move(bucket, this.#a);
    for (const core of this.#world.cores.values())
      if (core.streams.signal.aborted) this.#world.startStreams(core);
    this.#world.update();
    this.#world.fire(OPEN_WAIT_MS);
  }

  #insertOrRemove(key: string): void {
    if (this.#world.truth(key)) this.#world.remove(key);
    else if (this.#world.owners[bucketOfServer(key)]) this.#world.insert(key);
  }

  #move(bucket: number, isSaved: boolean): void {
    const cores = [...this.#world.cores.values()];
    const to = this.#below(5) === 0 ? undefined : cores[this.#below(cores.length)];
    if (this.#moved.has(bucket) || to === this.#world.owners[bucket]) return;
    this.#moved.add(bucket);
    this.#world.move(bucket, to, isSaved);
  }

  #see(): void {
    this.#moved.clear();
    this.#a.view.update();
  }

  #breakOrMend(): void {
    const others = [...this.#world.cores.values()].filter(core => core !== this.#a);
    const core = others[this.#below(others.length)];
    if (!core) return;
    if (core.streams.signal.aborted) this.#world.startStreams(core);
    else this.#world.stopStreams(core);
  }

  async #killOrAdd(): Promise<void> {
    const [, last] = this.#world.cores.values();
    if (this.#world.cores.size > 2 && last) {
      this.#see();
      this.#world.kill(last);
      this.#see();
      const heir = [...this.#world.cores.values()][this.#below(this.#world.cores.size)];
      for (const [bucket, owner] of this.#world.owners.entries()) if (!owner) this.#world.move(bucket, heir);
    } else await this.#world.addCore(`core${this.#cores++}`);
  }

  async #endOrResume(): Promise<void> {
    const [reading] = this.readings.splice(this.#below(this.readings.length || 1), 1);
    if (!reading) return;
    const { reader, keys, servers } = reading;
    await reader.end();
    for (let events = this.#below(3); events > 0; events--) this.#world.probe(keys[0] ?? '', ++this.#players);
    const next = new StreamReader(this.#a.feed, servers, reader.token, reader.states);
    this.readings.push({ reader: next, keys, servers });
  }
}

async function run(t: TestContext, seed: number): Promise<void> {
  const below = randomOf(seed);
  const world = new FeedWorld(t, below(3) === 0 ? 20_000 : undefined);
  const [a] = await world.start('a', 'b', 'c');
  assert.ok(a);
  for (const key of KEYS) if (below(3) > 0) world.insert(key);
  const random = new RandomWorld(world, a, below);
  random.open();
  for (let step = 0; step < STEPS; step++) await random.step();
  random.settle();
  for (const reading of random.readings) {
    // Even after `settle`, a change stream can end, because a read of servers that began before `settle` can fail.
    // `reopen` opens such a stream again.
    await until(() => {
      random.reopen();
      world.fire(OPEN_WAIT_MS);
      return isTrue(world, reading.reader, reading.keys);
    });
  }
  await until(() => a.feed.feed.isGapless || random.readings.length === 0);
  for (const { reader } of random.readings) await reader.end();
}

for (const seed of SEEDS) {
  test(`change streams contain the last state of all servers, despite server moves, broken streams and dead cores (seed ${seed})`, t =>
    run(t, seed));
}
