import { after, before, type TestContext } from 'node:test';
import { EmbeddedServerStore } from '../../core/store/memory/embedded-server-store.ts';
import type { OpenedStore } from '../core/store/server-store/store-check.ts';
import { type StoreOptions, serverStoreContract } from '../core/store/server-store.contract.ts';
import { storageEngineContract } from '../core/store/storage-engine.contract.ts';
import { EngineCluster } from './engine-cluster.ts';
import { flush, openRedisStore } from './redis-stores.ts';

const places: [name: string, start: () => Promise<EngineCluster>][] = [
  ['a Redis cluster', () => EngineCluster.start('redis')],
  ['a Valkey cluster', () => EngineCluster.start('valkey')],
  ['a single Redis', () => EngineCluster.startSingle('redis')],
];

for (const [name, start] of places) {
  let cluster: EngineCluster;
  before(async () => {
    cluster = await start();
  });
  after(() => cluster.stop());

  /**
   * Deletes all data of the cluster. Returns a function that opens a store on the cluster as the new owner of the data.
   */
  const emptied = async (t: TestContext) => {
    await flush(cluster);
    let epoch = 0;
    return async () => {
      const { store } = await openRedisStore(cluster, ++epoch);
      t.after(() => store.close());
      return store;
    };
  };

  storageEngineContract(name, async t => {
    const open = await emptied(t);
    return { engine: await open(), afterKill: open };
  });

  serverStoreContract(
    `server store on ${name}`,
    async (t: TestContext, options: StoreOptions): Promise<OpenedStore> => {
      const open = await emptied(t);
      const engine = await open();
      const store = await EmbeddedServerStore.load(engine, options);
      return {
        store,
        async afterRestart() {
          await store.close();
          await engine.close();
          return EmbeddedServerStore.load(await open(), options);
        },
        afterKill: async () => EmbeddedServerStore.load(await open(), options),
      };
    },
  );
}
