import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf, bucketOfServer, SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import { HeldBuckets } from '../../../core/cluster/held-buckets.ts';
import { KeptKey } from '../../../core/credentials/kept-key.ts';
import { ServerCredentials } from '../../../core/credentials/server-credentials.ts';
import { GivenUpServers } from '../../../core/servers/given-up-servers.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { NoWrites } from '../../../core/store/no-writes.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { offlineRecord, onlineRecord } from '../record-of.ts';
import { leaseRecords } from '../store/lease-records.ts';
import { bucketsOf, openCore, serverAt, sharedEntries } from '../store/memory/shared-stores.ts';
import type { SharedEntries } from '../store/shared-engine.ts';

const SERVERS = [serverAt(0), serverAt(1), serverAt(2)];
const [KEY = '', OTHER = '', THIRD = ''] = SERVERS.map(({ gameId, address }) => `${gameId} ${address}`);
const BUCKETS = [KEY, OTHER, THIRD].map(bucketOfServer);
const ACCOUNTS = [SERVER_BUCKETS, SERVER_BUCKETS + 1];
const SECRET = { secret: 'a secret of this test', options: new Map<string, string>() };

/**
 * Opens a core that loads the data of its buckets (groups of servers). `steps` lists the calls to the fake accounts,
 * detector, history and search index.
 */
async function openHolder(shared: SharedEntries, name: string, directory: string) {
  const core = await openCore(shared, name);
  const { engine, store, clock } = core;
  const buckets = { reader: engine, bucketOf: bucketOfServer, count: SERVER_BUCKETS };
  const credentials = await ServerCredentials.load(engine, directory, new KeptKey(directory), buckets);
  const givenUp = await GivenUpServers.load(engine, {
    ...{ now: clock.now, most: 10, buckets },
    isTracked: key => store.getMany([key])[0] !== undefined,
    onCorrupt: key => assert.fail(key),
  });
  const steps: string[] = [];
  const found = new Set<string>();
  const visit = (step: string, use: (key: string) => void) => (servers: Iterable<ServerRecord>) => {
    for (const { key } of servers) {
      use(key);
      steps.push(`${step} ${key}`);
    }
    return undefined;
  };
  const accounts = {
    take: async (taken: readonly number[]) => void steps.push(`take accounts ${taken.join()}`),
    give: async (given: readonly number[]) => void steps.push(`give accounts ${given.join()}`),
  };
  const detector = { forget: (key: string) => void steps.push(`forget ${key}`) };
  const history = {
    async flush() {
      assert.equal(store.stats().leased, 0);
      steps.push('flush the history');
      store.writeHeld(store.holds);
    },
  };
  const search = {
    addLoaded: visit('load', key => found.add(key)),
    removeUnloaded: visit('unload', key => found.delete(key)),
    sentAll: async () => void steps.push('send all to the search'),
  };
  const refusals: (() => void)[] = [];
  const held = new HeldBuckets({
    ...{ servers: bucketsOf(store), credentials, givenUp, accounts, history, search, detector },
    pause: async () => refusals.shift()?.(),
  });
  return { ...core, credentials, givenUp, held, steps, found, refusals };
}

/** Opens two cores. Core `a` owns all data of the test, and has inserted three game servers. */
async function opened() {
  const shared = sharedEntries(bucketOf);
  const directory = scratchDirectory();
  new KeptKey(directory).needed();
  const a = await openHolder(shared, 'a', directory);
  const b = await openHolder(shared, 'b', directory);
  const own = (core: string): void => {
    for (const bucket of BUCKETS) shared.owners.set(bucket, core);
  };
  own('a');
  await a.held.take([...BUCKETS, ...ACCOUNTS]);
  await a.store.insertIfAbsent(SERVERS);
  return { shared, a, b, own };
}

test('when a bucket (group of servers) moves to another core, this core loads all servers and credentials of the bucket', async () => {
  const { a, b, own } = await opened();
  await a.credentials.changeAccess([KEY], SECRET);
  const pending = newRecord('rust', serverAt(1).address, 'tok_1', a.clock.at, 60_000);
  a.givenUp.addServer(pending, offlineRecord(pending, a.clock.at));
  await a.held.give(BUCKETS);
  assert.deepEqual([a.store.stats().tracked, a.credentials.size, a.givenUp.size], [0, 0, 0]);
  own('b');
  await b.held.take(BUCKETS);
  assert.deepEqual([b.store.stats().tracked, b.credentials.size, b.givenUp.size], [3, 1, 1]);
  assert.equal(b.credentials.get(KEY)?.secret, SECRET.secret);
  assert.equal(b.givenUp.find(pending.key, [])?.status, 'offline');
  assert.deepEqual([...b.found].sort(), [KEY, OTHER, THIRD]);
});

test('a core takes accounts (tokens and webhooks) before servers, and gives the accounts away after the servers', async () => {
  const { a } = await opened();
  leaseRecords(a.store, 1);
  await a.held.give([...ACCOUNTS, ...BUCKETS]);
  const unloads = [KEY, OTHER, THIRD].flatMap(key => [`forget ${key}`, `unload ${key}`]);
  const accounts = ACCOUNTS.join();
  assert.deepEqual(
    [...a.steps.slice(0, 3), a.steps.slice(3, -2).sort(), ...a.steps.slice(-2)],
    [
      ...[`take accounts ${accounts}`, 'send all to the search', 'flush the history'],
      unloads.sort(),
      ...['send all to the search', `give accounts ${accounts}`],
    ],
  );
});

test('before a core gives buckets (groups of servers) to another core, it waits until the store accepts writes', async () => {
  const { a, b, own } = await opened();
  for (const { id, server } of leaseRecords(a.store, 3))
    a.store.apply(id, onlineRecord(server, a.clock.at), true);
  a.engine.pause('a write failed');
  a.refusals.push(
    () => assert.equal(a.store.stats().tracked, 3),
    () => a.engine.pause(undefined),
  );
  await a.held.give(BUCKETS);
  assert.deepEqual(a.refusals, []);
  own('b');
  await b.held.take(BUCKETS);
  assert.equal(b.store.stats().online, 3);
});

test('a core that closes while the store refuses writes cannot give its buckets (groups of servers) to another core', async () => {
  const { a } = await opened();
  a.engine.pause('the store is closed');
  a.refusals.push(() => a.held.close());
  await assert.rejects(a.held.give(BUCKETS), NoWrites);
});

test('while the store refuses all writes, a core cannot give buckets (groups of servers) to another core, and keeps the servers', async () => {
  const { a } = await opened();
  a.engine.pause('a write failed');
  await assert.rejects(a.held.give(BUCKETS), NoWrites);
  assert.equal(a.store.stats().tracked, 3);
});

test('a core gives buckets (groups of servers) away completely before it takes the same buckets back', async () => {
  const { a, shared } = await opened();
  const given = a.held.give(BUCKETS);
  const taken = a.held.take(BUCKETS);
  await given;
  assert.equal(a.store.stats().tracked, 0);
  assert.equal(shared.owners.get(BUCKETS[0] ?? -1), 'a');
  await taken;
  assert.equal(a.store.stats().tracked, 3);
});

test('before a core gives a bucket (group of servers) away, it stores pending changes of server credentials, and refuses new ones', async () => {
  const { a, b, own } = await opened();
  const changed = a.credentials.changeAccess([KEY], SECRET);
  const given = a.credentials.giveBuckets(BUCKETS);
  await assert.rejects(a.credentials.changeAccess([OTHER], SECRET), NoWrites);
  await Promise.all([changed, given]);
  await a.held.give(BUCKETS);
  own('b');
  await b.held.take(BUCKETS);
  assert.equal(b.credentials.get(KEY)?.secret, SECRET.secret);
  assert.equal(b.credentials.get(OTHER), undefined);
});

test('when a core compares server credentials in memory with the store, it ignores the credentials of other cores’ servers', async () => {
  const { a, b, own } = await opened();
  await a.credentials.changeAccess([KEY, OTHER], SECRET);
  const [, ...others] = BUCKETS;
  await a.held.give(others);
  assert.deepEqual(await a.credentials.compare(), []);
  assert.deepEqual(await b.credentials.compare(), []);
  own('b');
  await b.held.take(others);
  assert.deepEqual(await b.credentials.compare(), []);
});

test('a core that takes over a tracked server deletes an outdated entry of this server in the list of untracked servers', async () => {
  const { shared, a, b, own } = await opened();
  const record = a.store.getMany([KEY])[0];
  assert.ok(record);
  a.givenUp.addServer(record, offlineRecord(record, a.clock.at));
  await a.held.give(BUCKETS);
  assert.equal(shared.durable.has(`n/${KEY}`), true);
  own('b');
  await b.held.take(BUCKETS);
  await b.engine.commit([]);
  assert.equal(b.givenUp.size, 0);
  assert.equal(shared.durable.has(`n/${KEY}`), false);
});
