import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newPointer, slotAt } from '../../../../core/servers/record-pointer.ts';
import { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { silentRecord } from '../../record-of.ts';
import { openEngine } from '../../scratch-store.ts';
import { leaseRecords } from '../lease-records.ts';
import { options, server } from './embedded-store-options.ts';

/**
 * Creates a store with servers at these addresses. For each server, caches one part of an answer (a fragment), both
 * compressed and uncompressed.
 */
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

test('a probe result invalidates the cached response part of the probed server, and of no other server', async t => {
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

test('a new server at the table index of a removed server does not get the cached response part of the removed server', async t => {
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

test('if a clock correction changes the next probe time of one server, the cached response parts of other servers stay valid', async t => {
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
