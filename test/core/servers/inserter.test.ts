import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { InsertGuard, OPERATOR } from '../../../core/admission/insert-guard.ts';
import { InsertRates } from '../../../core/admission/insert-rates.ts';
import { UnconfirmedServers } from '../../../core/admission/unconfirmed-servers.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { ServerFetch } from '../../../core/servers/server-fetch.ts';
import { serverKey } from '../../../core/servers/server-record.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { Resolver } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { catalogOf } from '../catalog-of.ts';
import { clockAt } from '../clock.ts';
import { offlineRecord, onlineRecord } from '../record-of.ts';
import { scratchEngine } from '../scratch-store.ts';
import { leaseRecords } from '../store/lease-records.ts';
import { givenUpOf } from './given-up-of.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SILENT = '1.2.3.4:27015';

/** Opens a core in which each token can insert only `inserts` servers. */
async function opened(t: TestContext, maxServers = 10, inserts = 1) {
  const clock = clockAt();
  const engine = await scratchEngine(t);
  const unconfirmed = new UnconfirmedServers({ inAll: 100, aToken: 100, anAddress: 100, aNetwork: 100 });
  const options = {
    now: clock.now,
    probeIntervalMs: MINUTE,
    leaseMs: 30_000,
    maxServers,
    unconfirmed,
  };
  const store = await EmbeddedServerStore.load(engine, options);
  const givenUp = await givenUpOf(engine, clock.now);
  const guard = new InsertGuard(new InsertRates({ aMinute: inserts, aDay: inserts }, clock.now), unconfirmed);
  let tracked = (): void => {};
  const fetch = new ServerFetch({
    guard,
    givenUp,
    store,
    catalog: await catalogOf(clock.now, 'csgo'),
    changes: new ServerChanges(),
    policy: new TargetPolicy(['127.0.0.0/8']),
    resolver: new Resolver([], clock.now),
    onInserted: () => tracked(),
  });
  const ask = async (address: string, by = 'tok_1') => {
    const [pair] = await fetch.fetch([{ gameId: 'csgo', servers: [address] }], by, 0);
    assert.ok(pair);
    return pair;
  };
  /** Puts a server on the list of servers that gsq stopped tracking. The token `tok_1` inserted this server. */
  const giveUp = (address: string) => {
    const pending = newRecord('csgo', address, 'tok_1', clock.at, MINUTE);
    givenUp.addServer(pending, offlineRecord(pending, clock.at, { reason: 'refused' }));
  };
  const retried = () =>
    new Promise<void>(resolve => {
      tracked = resolve;
    });
  const stored = (address: string) => store.getMany([serverKey('csgo', address)])[0];
  return { clock, engine, store, givenUp, unconfirmed, guard, fetch, ask, giveUp, retried, stored };
}

test('two concurrent fetches of the same new server count it as one insert, even if both wait for host names', async t => {
  const { unconfirmed, guard, fetch } = await opened(t, 10, 2);
  // Each fetch contains the server `SILENT` and a host name. The first fetch has the host name last, the second first.
  const orders = [
    [SILENT, 'a.localhost:27015'],
    ['b.invalid:27015', SILENT],
  ];
  const fetched = await Promise.all(
    orders.map(servers => fetch.fetch([{ gameId: 'csgo', servers }], 'tok_1', 0)),
  );
  const inserted = fetched.flat().filter(pair => pair.inserted);
  assert.deepEqual(
    inserted.map(({ server }) => server),
    [SILENT, 'a.localhost:27015'],
  );
  assert.equal(unconfirmed.size, 2);
  const [next] = await fetch.fetch([{ gameId: 'csgo', servers: ['5.6.7.8:27015'] }], 'tok_1', 0);
  assert.equal(next?.invalid?.reason, 'insert_quota');
  assert.equal(guard.refusals.aMinute, 1);
});

test('an hour after gsq stopped tracking a server, a fetch restores the old record, even if the token may insert no more servers', async t => {
  const { clock, store, givenUp, unconfirmed, guard, ask, giveUp, retried, stored } = await opened(t);
  await ask('5.6.7.8:27015');
  giveUp(SILENT);
  clock.at += HOUR - 1;
  const before = await ask(SILENT);
  assert.deepEqual([before.record?.status, before.inserted, stored(SILENT)], ['offline', false, undefined]);
  clock.at++;
  const again = retried();
  const { record, inserted } = await ask(SILENT);
  assert.equal(inserted, false);
  assert.equal(record?.nextProbeAt, clock.at);
  await again;
  const trackedAgain = stored(SILENT);
  assert.deepEqual({ ...trackedAgain, data: '' }, { ...record, data: '' });
  assert.deepEqual(
    [trackedAgain?.status, trackedAgain?.reason, trackedAgain?.insertedBy],
    ['offline', 'refused', 'tok_1'],
  );
  assert.deepEqual([givenUp.size, unconfirmed.size, store.stats().offline], [0, 1, 1]);
  assert.deepEqual(
    leaseRecords(store, 10).map(({ server }) => server.address),
    ['5.6.7.8:27015', SILENT],
  );
  assert.equal(guard.refusals.aDay + guard.refusals.aMinute, 0);
});

test('an hour after gsq stopped tracking a server, a fetch cannot restore it if the store is full or refuses writes', async t => {
  const { clock, engine, store, givenUp, ask, giveUp, stored } = await opened(t, 1);
  giveUp(SILENT);
  clock.at += HOUR;
  engine.pause('no room');
  assert.equal((await ask(SILENT)).record?.status, 'offline');
  assert.equal(store.refused, 0, 'nothing of it was to be inserted');
  engine.pause(undefined);
  await ask('5.6.7.8:27015');
  assert.equal((await ask(SILENT)).record?.status, 'offline');
  // Waits until all earlier writes are finished.
  await engine.commit([]);
  assert.deepEqual([stored(SILENT), givenUp.size], [undefined, 1]);
});

test('when the operator adds a server that a token has already inserted, gsq replaces the record only if the server has never answered', async t => {
  const { clock, store, unconfirmed, ask, stored } = await opened(t);
  await ask(SILENT);
  assert.equal((await ask(SILENT, OPERATOR)).inserted, true);
  assert.deepEqual([stored(SILENT)?.insertedBy, unconfirmed.size], [OPERATOR, 0]);
  assert.equal((await ask(SILENT, OPERATOR)).inserted, false);
  clock.at += 24 * HOUR;
  const answered = '5.6.7.8:27015';
  await ask(answered);
  for (const { id, server } of leaseRecords(store, 10)) store.apply(id, onlineRecord(server, clock.at));
  assert.equal((await ask(answered, OPERATOR)).inserted, false);
  assert.deepEqual([stored(answered)?.insertedBy, store.stats().tracked], ['tok_1', 2]);
});
