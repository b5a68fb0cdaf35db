import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { encodeRecord } from '../../../core/servers/record-codec.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { clockAt } from '../clock.ts';
import { type DurableEntries, MapEngine } from './map-engine.ts';
import type { OpenedStore } from './server-store/store-check.ts';
import { type StoreOptions, serverStoreContract } from './server-store.contract.ts';
import { storageEngineContract } from './storage-engine.contract.ts';

async function open(t: TestContext, options: StoreOptions): Promise<OpenedStore> {
  const durable: DurableEntries = new Map();
  const load = async (entries: DurableEntries) => {
    const engine = new MapEngine(entries);
    t.after(() => engine.close());
    return { engine, store: await EmbeddedServerStore.load(engine, options) };
  };
  const { engine, store } = await load(durable);
  return {
    store,
    async afterRestart() {
      await store.close();
      await engine.close();
      return (await load(durable)).store;
    },
    // Simulates a kill: the new store gets a copy of the entries that are durable at this time.
    afterKill: async () => (await load(new Map(durable))).store,
  };
}

serverStoreContract('server store that keeps its data in a Map', open);

storageEngineContract('a Map', async t => {
  const durable: DurableEntries = new Map();
  const engine = new MapEngine(durable);
  t.after(() => engine.close());
  return { engine, afterKill: async () => new MapEngine(new Map(durable)) };
});

const options = { now: clockAt().now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 10 };
const server = (n: number) => ({ gameId: 'csgo', address: `1.2.3.${n}:27015`, insertedBy: 'tok_1' });

test('server store that keeps its data in a Map: an insert returns `present` if another process has already stored the server', async () => {
  const durable: DurableEntries = new Map();
  const store = await EmbeddedServerStore.load(new MapEngine(durable), options);
  const theirs = newRecord('csgo', server(1).address, 'tok_of_another', options.now() - 1000, 60_000);
  durable.set(`s/${theirs.key}`, encodeRecord(theirs));
  assert.deepEqual(await store.insertIfAbsent([server(1), server(2)]), ['present', 'inserted']);
  assert.deepEqual(store.getMany([theirs.key]), [theirs]);
  assert.deepEqual(store.stats().tracked, 2);
  assert.equal(store.leaseDue(10).length, 2);
});

test('server store that keeps its data in a Map: an inserted server is not visible before it is stored durably', async () => {
  const durable: DurableEntries = new Map();
  const store = await EmbeddedServerStore.load(new MapEngine(durable), options);
  const inserting = store.insertIfAbsent([server(1)]);
  assert.deepEqual([store.stats().tracked, durable.size], [0, 0]);
  await inserting;
  assert.deepEqual([store.stats().tracked, durable.size], [1, 1]);
});
