import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { silentRecord } from '../../record-of.ts';
import { openEngine } from '../../scratch-store.ts';
import { leaseRecords } from '../lease-records.ts';
import type { OpenedStore } from '../server-store/store-check.ts';
import { type StoreOptions, serverStoreContract } from '../server-store.contract.ts';
import { options, server } from './embedded-store-options.ts';

async function open(t: TestContext, options: StoreOptions): Promise<OpenedStore> {
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  const store = await EmbeddedServerStore.load(engine, options);
  return {
    store,
    async afterRestart() {
      await store.close();
      await engine.close();
      return EmbeddedServerStore.load(await openEngine(t, directory), options);
    },
    async afterKill() {
      const copy = join(scratchDirectory(), 'copy');
      cpSync(directory, copy, { recursive: true });
      return EmbeddedServerStore.load(await openEngine(t, copy), options);
    },
  };
}

serverStoreContract('server store on LevelDB', open);

test('a store with a corrupt record cannot be loaded, and the error contains the key of the record', async t => {
  const engine = await openEngine(t, scratchDirectory());
  await engine.commit([{ type: 'put', key: 's/csgo 1.2.3.4:27015', value: Buffer.from('garbage') }]);
  await assert.rejects(EmbeddedServerStore.load(engine, options), {
    name: 'StoreDamage',
    message:
      /is damaged: the stored record of "csgo 1\.2\.3\.4:27015" has an unknown format \(the newest format of this release is 4\)\. /,
  });
});

test('if the database cannot write, inserts and removals are refused, and no server in memory changes', async () => {
  const engine = await LevelDbStore.open(scratchDirectory(), () => {});
  const store = await EmbeddedServerStore.load(engine, options);
  const kept = { ...server, address: '5.6.7.8:27015' };
  await store.insertIfAbsent([kept]);
  await engine.close();
  // The second insert waits for the first insert, because both contain the same server. The write of the first insert
  // fails, so both inserts fail. The third insert starts when both have failed.
  const results = await Promise.all([store.insertIfAbsent([server, kept]), store.insertIfAbsent([server])]);
  assert.deepEqual(results, [['refused', 'present'], ['refused']]);
  assert.deepEqual(await store.insertIfAbsent([server]), ['refused']);
  await assert.rejects(store.remove(['csgo 5.6.7.8:27015']), /accepts no more writes/);
  assert.deepEqual([store.writable, store.refused], [false, 3]);
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0], undefined);
  assert.ok(store.getMany(['csgo 5.6.7.8:27015'])[0]);
});

test('a probe that was scheduled while the clock was ten years ahead is due as soon as the clock is corrected', async t => {
  const clock = clockAt();
  const right = clock.at;
  const directory = scratchDirectory();
  const engine = await openEngine(t, directory);
  const store = await EmbeddedServerStore.load(engine, { ...options, now: clock.now });
  await store.insertIfAbsent([server]);
  clock.at += 10 * 365 * 86_400_000;
  const [lease] = leaseRecords(store, 1);
  assert.ok(lease);
  assert.ok(store.apply(lease.id, silentRecord(lease.server, clock.at)));
  clock.at = right + 60_000;
  const [again] = leaseRecords(store, 1);
  assert.equal(again?.server.nextProbeAt, clock.at);

  await engine.close();
  const restarted = await EmbeddedServerStore.load(await openEngine(t, directory), {
    ...options,
    now: clock.now,
  });
  assert.equal(restarted.leaseDue(1).length, 1);
});

test('repeated calls of leaseDue() (selects the servers to probe) return each due server exactly once, in the order of insertion', async t => {
  const clock = clockAt();
  const engine = await openEngine(t, scratchDirectory());
  const many = { ...options, now: clock.now, maxServers: 5000 };
  const store = await EmbeddedServerStore.load(engine, many);
  const servers = Array.from({ length: 5000 }, (_, i) => ({
    ...server,
    address: `1.2.${i >> 8}.${i & 255}:27015`,
  }));
  await store.insertIfAbsent(servers);
  clock.at += 1000;
  const leased: string[] = [];
  for (let leases = store.leaseDue(7); leases.length > 0; leases = store.leaseDue(7)) {
    for (const lease of leases) leased.push(lease.server.address);
  }
  assert.deepEqual(
    leased,
    servers.map(({ address }) => address),
  );
});

test('loading a store fails if the key of a record contains no game and address, even if the record is intact', async t => {
  const engine = await openEngine(t, scratchDirectory());
  await EmbeddedServerStore.load(engine, options).then(store => store.insertIfAbsent([server]));
  let value: Buffer | undefined;
  for await (const [, stored] of engine.entries('s/')) value = stored;
  assert.ok(value);
  await engine.commit([{ type: 'put', key: 's/nobody', value }]);
  await assert.rejects(EmbeddedServerStore.load(engine, options), {
    name: 'StoreDamage',
    message:
      /is damaged: the stored record of "nobody" has an unknown format \(the newest format of this release is 4\)\. /,
  });
});
