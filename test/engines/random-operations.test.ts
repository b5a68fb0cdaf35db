import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RedisStore } from '../../core/store/redis/redis-store.ts';
import type { Operation } from '../../core/store/storage-engine.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { del, entriesOf, flush, insert, openRedisStore, put } from './redis-stores.ts';

const SEEDS = 4;
const STEPS = 200;
/** Keys of the random operations. The list is short, so that most operations change an entry that already exists. */
const KEYS = [
  ...[1, 2, 3].flatMap(host => [1, 2].map(port => `s/csgo 10.0.0.${host}:${port}`)),
  ...['t/tok_1', 'q/tok_1/29', 'q/tok_1/30', 't/tok_2'],
];

type Model = Map<string, string>;

function applyTo(model: Model, operations: readonly Operation[]): void {
  for (const operation of operations) {
    if (operation.type === 'put') model.set(operation.key, String(operation.value));
    else model.delete(operation.key);
  }
}

const sorted = (model: Model): [string, string][] => [...model].sort(([a], [b]) => (a < b ? -1 : 1));

/** Checks that both methods for reading a store return exactly the entries of the model (a Map). */
async function compare(store: RedisStore, model: Model): Promise<void> {
  assert.deepEqual(await entriesOf(store), sorted(model));
  const read: Model = new Map();
  await store.readAll('', (key, value) => void read.set(key, String(value)));
  assert.deepEqual(sorted(read), sorted(model));
  const servers = sorted(model).filter(([key]) => key.startsWith('s/csgo 10.0.0.2'));
  assert.deepEqual(await entriesOf(store, 's/csgo 10.0.0.2'), servers);
}

/**
 * Runs the same random operations on a store and on a model (a Map), and changes the owner of the store in between.
 * After each change, compares store and model.
 */
async function simulate(cluster: EngineCluster, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const keyAt = (): string => KEYS[random(KEYS.length)] ?? '';
  const operation = (): Operation => (random(3) === 0 ? del(keyAt()) : put(keyAt(), `${random(1_000)}`));
  const operations = (): Operation[] => Array.from({ length: random(6) }, operation);
  const model: Model = new Map();
  const pending: Promise<unknown>[] = [];
  let epoch = 1;
  let { store } = await openRedisStore(cluster, epoch);
  const replaced: RedisStore[] = [];

  const insertSome = (): void => {
    const keys = new Set(Array.from({ length: 1 + random(4) }, keyAt));
    const entries = Array.from(keys, key => insert(key, `${random(1_000)}`));
    const winners = entries.flatMap(({ key, value }): [string, string][] => {
      const stored = model.get(key);
      if (stored === undefined) model.set(key, String(value));
      return stored === undefined || stored === String(value) ? [] : [[key, stored]];
    });
    const check = (found: ReadonlyMap<string, Buffer>): void =>
      assert.deepEqual(Array.from(found, ([key, value]) => [key, String(value)]).sort(), winners.sort());
    pending.push(store.insertIfAbsent(entries).then(check));
  };

  const changeOwner = async (isOrderly: boolean): Promise<void> => {
    await Promise.all(pending.splice(0));
    // Both `close` and `commit` write all operations of earlier calls of `append`, so the next owner of the store finds
    // them.
    if (isOrderly) await store.close();
    else await store.commit([put('t/last', 'x')]).then(() => void model.set('t/last', 'x'));
    replaced.push(store);
    ({ store } = await openRedisStore(cluster, ++epoch));
    await compare(store, model);
  };

  for (let step = 0; step < STEPS; step++) {
    const kind = random(40);
    if (kind < 16) {
      const operation = operations();
      applyTo(model, operation);
      pending.push(store.commit(operation));
    } else if (kind < 24) insertSome();
    else if (kind < 36) {
      for (const one of operations()) {
        assert.equal(store.append(one), true);
        applyTo(model, [one]);
      }
    } else if (kind < 39) await Promise.all(pending.splice(0));
    else await changeOwner(random(2) === 0);
  }
  await changeOwner(true);
  await Promise.all([store, ...replaced].map(each => each.close()));
}

for (const kind of enginesToTest()) {
  let cluster: EngineCluster;
  before(async () => {
    cluster = await EngineCluster.start(kind);
  });
  after(() => cluster.stop());

  test(`${kind}: after the same random operations, a store contains the same entries as a JavaScript Map, even if its owner changes in between`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      await flush(cluster);
      await simulate(cluster, seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  });
}
