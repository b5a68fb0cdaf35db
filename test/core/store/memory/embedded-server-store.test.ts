import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newPointer, slotAt } from '../../../../core/servers/record-pointer.ts';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { silentRecord } from '../../record-of.ts';
import { openEngine } from '../../scratch-store.ts';
import { leaseRecords } from '../lease-records.ts';
import type { OpenedStore } from '../server-store/store-check.ts';
import { type StoreOptions, serverStoreContract } from '../server-store.contract.ts';

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

const options = { now: clockAt().now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 10 };
const server = { gameId: 'csgo', address: '1.2.3.4:27015', insertedBy: 'tok_1' };

test('loading a corrupt record is refused, and the error contains the key of the record', async t => {
  const engine = await openEngine(t, scratchDirectory());
  await engine.commit([{ type: 'put', key: 's/csgo 1.2.3.4:27015', value: Buffer.from('garbage') }]);
  await assert.rejects(EmbeddedServerStore.load(engine, options), {
    name: 'StoreDamage',
    message: /is damaged: the stored record of "csgo 1\.2\.3\.4:27015" is in no format up to 3\. /,
  });
});

test('if the engine cannot write, inserts are refused, removals reject, and the servers in memory stay unchanged', async () => {
  const engine = await LevelDbStore.open(scratchDirectory(), () => {});
  const store = await EmbeddedServerStore.load(engine, options);
  const kept = { ...server, address: '5.6.7.8:27015' };
  await store.insertIfAbsent([kept]);
  await engine.close();
  // The second insert waits for the first insert of the same server, which fails during its write. The third insert
  // starts after the failure is known.
  const results = await Promise.all([store.insertIfAbsent([server, kept]), store.insertIfAbsent([server])]);
  assert.deepEqual(results, [['refused', 'present'], ['refused']]);
  assert.deepEqual(await store.insertIfAbsent([server]), ['refused']);
  await assert.rejects(store.remove(['csgo 5.6.7.8:27015']), /takes no more/);
  assert.deepEqual([store.writable, store.refused], [false, 3]);
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0], undefined);
  assert.ok(store.getMany(['csgo 5.6.7.8:27015'])[0]);
});

test('a clock that was years ahead and is then corrected does not delay probes by years, also after a restart', async t => {
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

test('leaseDue() leases each due server exactly once and in order, also with a small limit', async t => {
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

test('loading an intact record whose key is not a pair of game and address is refused', async t => {
  const engine = await openEngine(t, scratchDirectory());
  await EmbeddedServerStore.load(engine, options).then(store => store.insertIfAbsent([server]));
  let value: Buffer | undefined;
  for await (const [, stored] of engine.entries('s/')) value = stored;
  assert.ok(value);
  await engine.commit([{ type: 'put', key: 's/nobody', value }]);
  await assert.rejects(EmbeddedServerStore.load(engine, options), {
    name: 'StoreDamage',
    message: /is damaged: the stored record of "nobody" is in no format up to 3\. /,
  });
});

/** Creates a store with servers at these addresses. Both fragment caches hold one fragment for each server. */
async function withParts(t: TestContext, addresses: readonly string[]) {
  const clock = clockAt();
  const engine = await openEngine(t, scratchDirectory());
  const store = await EmbeddedServerStore.load(engine, { ...options, now: clock.now });
  const place = newPointer();
  const slotOf = (address: string): number => {
    const text = Buffer.from(address);
    assert.ok(store.find('csgo', text, 0, text.length, place), `${address} is tracked`);
    return slotAt(place);
  };
  const kept = (address: string): string | undefined => {
    const { fragments, plainFragments } = store;
    const slot = slotOf(address);
    const found = [fragments, plainFragments].map(cache =>
      cache.findFragment(slot) ? cache.bytes.toString('utf8', cache.start, cache.end) : undefined,
    );
    assert.equal(found[0], found[1], 'both are kept, or none');
    return found[0];
  };
  const keep = (address: string): void => {
    for (const cache of [store.fragments, store.plainFragments])
      cache.addFragment(slotOf(address), Buffer.from(address));
    assert.equal(kept(address), address);
  };
  await store.insertIfAbsent(addresses.map(address => ({ ...server, address })));
  addresses.forEach(keep);
  return { clock, store, slotOf, kept, keep };
}

const [ONE, OTHER] = ['1.2.3.4:1', '1.2.3.4:2'] as const;

test('a report drops the cached fragments of its server, and keeps those of other servers', async t => {
  const { clock, store, kept, keep, slotOf } = await withParts(t, [ONE, OTHER]);
  const leases = leaseRecords(store, 2);
  assert.deepEqual([kept(ONE), kept(OTHER)], [ONE, OTHER], 'a lease changes nothing');
  const lease = leases.find(each => each.server.address === ONE);
  assert.ok(lease);
  assert.equal(store.apply(-1, lease.server), false);
  assert.equal(kept(ONE), ONE);
  assert.ok(store.apply(lease.id, silentRecord(lease.server, clock.at)));
  assert.deepEqual([kept(ONE), kept(OTHER)], [undefined, OTHER]);
  assert.equal(store.fragments.isReadAgain(slotOf(ONE)), false);
  keep(ONE);
  store.release(leases.map(({ id }) => id));
  assert.deepEqual([kept(ONE), kept(OTHER)], [ONE, OTHER], 'nor does the end of one');
});

test('the new server of a reused slot has no cached fragment from the previous server of the slot', async t => {
  const { store, kept, slotOf } = await withParts(t, [ONE, OTHER]);
  const slot = slotOf(ONE);
  assert.deepEqual(await store.remove([`csgo ${ONE}`, 'csgo 9.9.9.9:9']), [true, false]);
  assert.equal(store.fragments.findFragment(slot), false);
  assert.equal(kept(OTHER), OTHER);
  const next = '1.2.3.4:3';
  await store.insertIfAbsent([{ ...server, address: next }]);
  assert.equal(slotOf(next), slot);
  assert.equal(kept(next), undefined);
  assert.equal(store.fragments.isReadAgain(slot), false);
});

test('if the clock is set back, only servers whose due time changes lose their cached fragments', async t => {
  const { clock, store, kept, keep } = await withParts(t, [ONE, OTHER]);
  const lease = leaseRecords(store, 2).find(each => each.server.address === ONE);
  assert.ok(lease);
  const right = clock.at;
  clock.at += 20_000;
  assert.ok(store.apply(lease.id, silentRecord(lease.server, clock.at + 86_400_000)));
  keep(ONE);
  store.leaseDue(0);
  assert.deepEqual([kept(ONE), kept(OTHER)], [ONE, OTHER]);
  clock.at = right;
  store.leaseDue(0);
  assert.deepEqual([kept(ONE), kept(OTHER)], [undefined, OTHER]);
  assert.equal(store.getMany([`csgo ${ONE}`])[0]?.nextProbeAt, right);
});
