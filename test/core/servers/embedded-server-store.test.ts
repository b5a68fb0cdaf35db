import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EmbeddedServerStore } from '../../../core/servers/embedded-server-store.ts';
import { Level } from '../../../core/store/level.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openLevel } from '../scratch-level.ts';
import { type OpenedStore, type StoreOptions, serverStoreContract } from './server-store.contract.ts';

async function open(t: TestContext, options: StoreOptions): Promise<OpenedStore> {
  const directory = scratchDirectory();
  const level = await openLevel(t, directory);
  return {
    store: await EmbeddedServerStore.load(level, options),
    async afterRestart() {
      await level.close();
      return EmbeddedServerStore.load(await openLevel(t, directory), options);
    },
    async afterKill() {
      const copy = join(scratchDirectory(), 'copy');
      cpSync(directory, copy, { recursive: true });
      return EmbeddedServerStore.load(await openLevel(t, copy), options);
    },
  };
}

serverStoreContract('embedded', open);

const options = { now: clockAt().now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 10 };
const server = { gameId: 'csgo', address: '1.2.3.4:27015', insertedBy: 'tok_1' };

test('a record that cannot be what was written is named, and nothing is served', async t => {
  const level = await openLevel(t, scratchDirectory());
  await level.commit([{ type: 'put', key: 's/csgo 1.2.3.4:27015', value: Buffer.from('garbage') }]);
  await assert.rejects(EmbeddedServerStore.load(level, options), {
    name: 'CorruptRecordError',
    message: 'the stored record of "csgo 1.2.3.4:27015" is not in format 1',
  });
});

test('where the store cannot write, inserts and removals reject, no insert is left, and it is unhealthy', async () => {
  const level = await Level.open(scratchDirectory(), () => {});
  const store = await EmbeddedServerStore.load(level, options);
  await store.insertIfAbsent([{ ...server, address: '5.6.7.8:27015' }]);
  await level.close();
  const results = await Promise.allSettled([store.insertIfAbsent([server]), store.insertIfAbsent([server])]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await assert.rejects(store.insertIfAbsent([server]), /takes no more/);
  await assert.rejects(store.remove(['csgo 5.6.7.8:27015']), /takes no more/);
  assert.equal(store.healthy, false);
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0], undefined);
  assert.deepEqual(store.leaseDue(10), []);
});
