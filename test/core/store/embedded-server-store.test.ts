import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newPointer, slotAt } from '../../../core/servers/record-codec.ts';
import { EmbeddedServerStore } from '../../../core/store/embedded-server-store.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { silentRecord } from '../record-of.ts';
import { openLevel } from '../scratch-store.ts';
import { leaseRecords } from './lease-records.ts';
import { type OpenedStore, type StoreOptions, serverStoreContract } from './server-store.contract.ts';

async function open(t: TestContext, options: StoreOptions): Promise<OpenedStore> {
  const directory = scratchDirectory();
  const level = await openLevel(t, directory);
  const store = await EmbeddedServerStore.load(level, options);
  return {
    store,
    async afterRestart() {
      await store.close();
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
    name: 'StoreDamage',
    message: /is damaged: the stored record of "csgo 1\.2\.3\.4:27015" is in no format up to 3\. /,
  });
});

test('where the store cannot write, inserts are refused, removals reject, and nothing of either is left', async () => {
  const level = await LevelDbStore.open(scratchDirectory(), () => {});
  const store = await EmbeddedServerStore.load(level, options);
  const kept = { ...server, address: '5.6.7.8:27015' };
  await store.insertIfAbsent([kept]);
  await level.close();
  // The second waits for the first, which fails under way; the third comes when that is known.
  const results = await Promise.all([store.insertIfAbsent([server, kept]), store.insertIfAbsent([server])]);
  assert.deepEqual(results, [['refused', 'present'], ['refused']]);
  assert.deepEqual(await store.insertIfAbsent([server]), ['refused']);
  await assert.rejects(store.remove(['csgo 5.6.7.8:27015']), /takes no more/);
  assert.deepEqual([store.writable, store.refused], [false, 3]);
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0], undefined);
  assert.ok(store.getMany(['csgo 5.6.7.8:27015'])[0]);
});

test('a clock that was years ahead leaves nothing due in years, at once and after a restart', async t => {
  const clock = clockAt();
  const right = clock.at;
  const directory = scratchDirectory();
  const level = await openLevel(t, directory);
  const store = await EmbeddedServerStore.load(level, { ...options, now: clock.now });
  await store.insertIfAbsent([server]);
  clock.at += 10 * 365 * 86_400_000;
  const [lease] = leaseRecords(store, 1);
  assert.ok(lease);
  assert.ok(store.apply(lease.id, silentRecord(lease.server, clock.at)));
  clock.at = right + 60_000;
  const [again] = leaseRecords(store, 1);
  assert.equal(again?.server.nextProbeAt, clock.at);

  await level.close();
  const restarted = await EmbeddedServerStore.load(await openLevel(t, directory), {
    ...options,
    now: clock.now,
  });
  assert.equal(restarted.leaseDue(1).length, 1);
});

test('however many are due at once, and however few are taken, each is leased once, in order', async t => {
  const clock = clockAt();
  const level = await openLevel(t, scratchDirectory());
  const many = { ...options, now: clock.now, maxServers: 5000 };
  const store = await EmbeddedServerStore.load(level, many);
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

test('a record that is whole but has another name than a pair is refused at the start', async t => {
  const level = await openLevel(t, scratchDirectory());
  await EmbeddedServerStore.load(level, options).then(store => store.insertIfAbsent([server]));
  let value: Buffer | undefined;
  for await (const [, stored] of level.entries('s/')) value = stored;
  assert.ok(value);
  await level.commit([{ type: 'put', key: 's/nobody', value }]);
  await assert.rejects(EmbeddedServerStore.load(level, options), {
    name: 'StoreDamage',
    message: /is damaged: the stored record of "nobody" is in no format up to 3\. /,
  });
});

/** A store with these servers, in which a compressed part and a plain one are kept for each. */
async function withParts(t: TestContext, addresses: readonly string[]) {
  const clock = clockAt();
  const level = await openLevel(t, scratchDirectory());
  const store = await EmbeddedServerStore.load(level, { ...options, now: clock.now });
  const place = newPointer();
  const slotOf = (address: string): number => {
    const text = Buffer.from(address);
    assert.ok(store.find('csgo', text, 0, text.length, place), `${address} is tracked`);
    return slotAt(place);
  };
  const kept = (address: string): string | undefined => {
    const { parts, texts } = store;
    const slot = slotOf(address);
    const found = [parts, texts].map(cache =>
      cache.find(slot) ? cache.bytes.toString('utf8', cache.start, cache.end) : undefined,
    );
    assert.equal(found[0], found[1], 'both are kept, or none');
    return found[0];
  };
  const keep = (address: string): void => {
    for (const cache of [store.parts, store.texts]) cache.keep(slotOf(address), Buffer.from(address));
    assert.equal(kept(address), address);
  };
  await store.insertIfAbsent(addresses.map(address => ({ ...server, address })));
  addresses.forEach(keep);
  return { clock, store, slotOf, kept, keep };
}

const [ONE, OTHER] = ['1.2.3.4:1', '1.2.3.4:2'] as const;

test('a report makes the part of its server forgotten, and of no other', async t => {
  const { clock, store, kept, keep, slotOf } = await withParts(t, [ONE, OTHER]);
  const leases = leaseRecords(store, 2);
  assert.deepEqual([kept(ONE), kept(OTHER)], [ONE, OTHER], 'a lease changes nothing');
  const lease = leases.find(each => each.server.address === ONE);
  assert.ok(lease);
  assert.equal(store.apply(-1, lease.server), false);
  assert.equal(kept(ONE), ONE);
  assert.ok(store.apply(lease.id, silentRecord(lease.server, clock.at)));
  assert.deepEqual([kept(ONE), kept(OTHER)], [undefined, OTHER]);
  assert.equal(store.parts.wanted(slotOf(ONE)), false);
  keep(ONE);
  store.release(leases.map(({ id }) => id));
  assert.deepEqual([kept(ONE), kept(OTHER)], [ONE, OTHER], 'nor does the end of one');
});

test('the part of a server that is removed is not that of the next in its slot', async t => {
  const { store, kept, slotOf } = await withParts(t, [ONE, OTHER]);
  const slot = slotOf(ONE);
  assert.deepEqual(await store.remove([`csgo ${ONE}`, 'csgo 9.9.9.9:9']), [true, false]);
  assert.equal(store.parts.find(slot), false);
  assert.equal(kept(OTHER), OTHER);
  const next = '1.2.3.4:3';
  await store.insertIfAbsent([{ ...server, address: next }]);
  assert.equal(slotOf(next), slot);
  assert.equal(kept(next), undefined);
  assert.equal(store.parts.wanted(slot), false);
});

test('a clock set back makes forgotten what it changes, and nothing else', async t => {
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
