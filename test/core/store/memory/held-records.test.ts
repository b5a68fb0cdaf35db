import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SealedHour } from '../../../../core/history/history-store.ts';
import { beginHour, decodeHour, hourOf } from '../../../../core/history/hour-coding.ts';
import { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { offlineRecord, onlineRecord } from '../../record-of.ts';
import { scratchEngine } from '../../scratch-store.ts';
import { leaseRecords } from '../lease-records.ts';
import { options, server } from './embedded-store-options.ts';

const NOW = options.now();
const KEY = 'csgo 1.2.3.4:27015';

/**
 * Opens a store with one server. `lease` reserves the server for a probe, as a prober does. `stored` returns the stored
 * record of the server as base64 text.
 */
async function opened(t: TestContext) {
  const engine = await scratchEngine(t);
  const store = await EmbeddedServerStore.load(engine, options);
  await store.insertIfAbsent([server]);
  const lease = () => leaseRecords(store, 1)[0] ?? assert.fail('the server is not due');
  const stored = async (): Promise<string> => {
    await engine.commit([]);
    let found = '';
    await engine.readAll('s/', (_, value) => {
      found = value.toString('base64');
    });
    return found;
  };
  return { engine, store, lease, stored };
}

test('a server record is written only after the history has stored the samples from this record', async t => {
  const { store, lease, stored } = await opened(t);
  const before = await stored();
  const first = lease();
  const online = onlineRecord(first.server, NOW);
  store.apply(first.id, online, true);
  assert.equal(await stored(), before);
  store.hasten(KEY, NOW);
  const second = lease();
  store.apply(second.id, offlineRecord(online, NOW));
  assert.equal(await stored(), before);
  store.writeHeld(store.holds);
  assert.notEqual(await stored(), before);
});

test('a failed write of a server record is repeated only after the history has stored the samples from this record', async t => {
  const { engine, store, lease, stored } = await opened(t);
  const before = await stored();
  const first = lease();
  const online = onlineRecord(first.server, NOW);
  engine.pause('the disk is full');
  store.apply(first.id, online);
  store.hasten(KEY, NOW);
  const second = lease();
  store.apply(second.id, offlineRecord(online, NOW), true);
  engine.pause(undefined);
  await store.writeDirty();
  assert.equal(await stored(), before);
  store.writeHeld(store.holds);
  assert.notEqual(await stored(), before);
});

test('listPublicly() (makes a server public) resolves only after the changed server record is stored', async t => {
  const { store, lease, stored } = await opened(t);
  const before = await stored();
  const { id, server: leased } = lease();
  store.apply(id, onlineRecord(leased, NOW), true);
  const resolved: string[] = [];
  const listings = ['first', 'repeated'].map(async name => {
    await store.listPublicly([KEY], true);
    resolved.push(name);
  });
  assert.equal(await stored(), before);
  assert.deepEqual(resolved, []);
  store.writeHeld(store.holds);
  await Promise.all(listings);
  const after = await stored();
  assert.notEqual(after, before);
  await store.listPublicly([KEY], true);
  assert.equal(await stored(), after);
});

test('listPublicly() (makes a server public) rejects if the storage engine refuses the write', async t => {
  const { engine, store, lease, stored } = await opened(t);
  const { id, server: leased } = lease();
  store.apply(id, onlineRecord(leased, NOW), true);
  const listing = store.listPublicly([KEY], true);
  engine.pause('the disk is full');
  store.writeHeld(store.holds);
  await assert.rejects(listing, { name: 'NoWrites', message: /the disk is full/ });
  engine.pause(undefined);
  const before = await stored();
  await store.writeDirty();
  assert.notEqual(await stored(), before);
});

test('listPublicly() (makes a server public) resolves if the server is removed before its record is written', async t => {
  const { store, lease } = await opened(t);
  const { id, server: leased } = lease();
  store.apply(id, onlineRecord(leased, NOW), true);
  const listing = store.listPublicly([KEY], true);
  await store.remove([KEY]);
  assert.deepEqual(await listing, [true]);
});

test('sealOpenHours() passes samples to the history only if their hour began before the given time', async t => {
  const { store, lease } = await opened(t);
  const { id, server: leased } = lease();
  const sample = { at: NOW, state: 'online', players: 1, maxPlayers: 2, bots: 0, holdMs: 90_000 } as const;
  const openHour = beginHour(sample, 0);
  store.apply(id, { ...onlineRecord(leased, NOW), openHour });
  const sealed: [string, SealedHour][] = [];
  const hour = hourOf(NOW, 0);
  await store.sealOpenHours(hour, (key, each) => void sealed.push([key, each]));
  assert.equal(sealed.length, 0);
  await store.sealOpenHours(hour + 1, (key, each) => void sealed.push([key, each]));
  assert.deepEqual(
    sealed.map(([key, each]) => [key, each.hour]),
    [[KEY, hour]],
  );
  assert.deepEqual(store.getMany([KEY])[0]?.openHour, openHour);

  // The variable `sealed` contains samples that the history stores later. These samples must be a copy, so that a later
  // change of the server record does not change them.
  store.hasten(KEY, NOW);
  const next = lease();
  const later = { ...sample, at: NOW + 1_000, players: 7 };
  store.apply(next.id, { ...onlineRecord(next.server, NOW), openHour: beginHour(later, 0) });
  assert.deepEqual(decodeHour(sealed[0]?.[1] ?? assert.fail()), [sample]);
});
