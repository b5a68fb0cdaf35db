import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { bucketOfServer } from '../../core/cluster/buckets.ts';
import { hourPhaseOfKey } from '../../core/history/hour-phase.ts';
import { periodOf } from '../../core/store/history/periods.ts';
import { asideName, blobKey } from '../../core/store/history-blobs/blob-store.ts';
import { EngineBlobs } from '../../core/store/redis/engine-blobs.ts';
import { clockAt } from '../core/clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt } from '../core/store/history/opened-history.ts';
import { openEngineHistory } from '../core/store/history-blobs/opened-engine-history.ts';
import { SharedHistories } from '../core/store/history-blobs/shared-histories.ts';
import { historyContract } from '../core/store/history-store.contract.ts';
import { EngineCluster } from './engine-cluster.ts';
import { flush, openRedisStore } from './redis-stores.ts';

const places: [name: string, start: () => Promise<EngineCluster>][] = [
  ['a Redis cluster', () => EngineCluster.start('redis')],
  ['a Valkey cluster', () => EngineCluster.start('valkey')],
  ['a single Redis', () => EngineCluster.startSingle('redis')],
];
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const KEY = 'csgo 203.0.113.1:27015';
const BUCKET = bucketOfServer(KEY);
const REFUSED = { name: 'NoWrites', message: /a bucket has the fence "2 core-2"/ };

for (const [name, start] of places) {
  let cluster: EngineCluster;
  let epoch = 0;
  before(async () => {
    cluster = await start();
  });
  after(() => cluster.stop());

  /**
   * Opens the store as a new owner of the bucket of servers that the tests use. The epoch is the number of an owner: it
   * is higher than the epoch of the previous owner.
   */
  const openOwner = async (t: TestContext) => {
    const opened = await openRedisStore(cluster, ++epoch, { buckets: [BUCKET] });
    t.after(() => opened.store.close());
    return { ...opened, blobs: new EngineBlobs(opened.store.buckets) };
  };
  const emptied = async () => {
    await flush(cluster);
    epoch = 0;
  };

  historyContract(name, TODAY, async (t, clock, servers, options) => {
    await emptied();
    const open = async () => openEngineHistory(t, (await openOwner(t)).blobs, clock, () => servers, options);
    const history = await open();
    return {
      history,
      async reopen() {
        await history.close();
        return open();
      },
    };
  });

  test(`${name}: while servers move between three cores, each core returns the same history as a single core that stores its history on disk`, async t => {
    await emptied();
    const keys = [1, 1, 2, 3].map((host, i) => `csgo 203.0.113.${host}:2701${5 + i}`);
    const buckets = [...new Set(keys.map(bucketOfServer))];
    const open = async (own: number[]) => {
      const { store } = await openRedisStore(cluster, ++epoch, { buckets: own });
      t.after(() => store.close());
      return store;
    };
    const stores = [await open(buckets), await open([]), await open([])] as const;
    const storeOf = (core: number) => stores[core] ?? stores[0];
    const shared = {
      of: (core: number) => new EngineBlobs(storeOf(core).buckets),
      async move(bucket: number, core: number) {
        for (const store of stores) await store.dropBuckets([bucket]);
        assert.equal((await storeOf(core).takeBuckets([bucket], ++epoch)).kind, 'taken');
      },
    };
    const all = new SharedHistories(t, shared, stores.length, keys, TODAY, 7);
    await all.simulate(2 * DAY + 5 * HOUR);
    for (const server of all.servers) await all.compare(server, TODAY - DAY);
  });

  test(`${name}: after a bucket (a share of the servers) has moved to another core, only the new core can write and roll up the history`, async t => {
    await emptied();
    const clock = clockAt(TODAY + DAY + 3 * HOUR);
    const older = await openOwner(t);
    const open = (blobs: EngineBlobs) => openEngineHistory(t, blobs, clock, () => [KEY]);
    const history = open(older.blobs);
    const begin = TODAY + hourPhaseOfKey(KEY);
    const samples = everyMinute(begin, begin + 6 * HOUR, at => onlineAt(at, 4));
    const [first, second, ...others] = hoursOf(KEY, samples);
    assert.ok(first && second);
    history.store.sealHour(KEY, first);
    await history.flush();
    const newer = await openOwner(t);
    const next = open(newer.blobs);
    history.store.sealHour(KEY, second);
    await assert.rejects(history.flush(), REFUSED);
    assert.equal(older.lost.length, 1);
    await history.maintain();
    const hours = () => next.store.hours(KEY, TODAY, TODAY + DAY);
    assert.deepEqual(await hours(), [first]);
    assert.deepEqual(await next.store.days(KEY, TODAY, TODAY + DAY), []);
    // The former owner of the bucket has stored the samples of the hour `first`. Now the new owner stores the samples
    // of all hours, including `first`. The history must not contain the samples of `first` twice.
    for (const hour of [first, second, ...others]) next.store.sealHour(KEY, hour);
    await next.flush();
    await next.maintain();
    assert.deepEqual(await hours(), [first, second, ...others]);
    assert.equal((await next.store.days(KEY, TODAY, TODAY + DAY))[0]?.playersMax, 4);
  });

  test(`${name}: gsq rolls up old samples (computes values per day) before the storage engine deletes them after their retention time`, async t => {
    await emptied();
    const clock = clockAt(TODAY - 4 * DAY);
    const { blobs, store } = await openOwner(t);
    const history = openEngineHistory(t, blobs, clock, () => [KEY]);
    const samples = everyMinute(TODAY - 4 * DAY, TODAY - 4 * DAY + 6 * HOUR, at => onlineAt(at, 4));
    for (const hour of hoursOf(KEY, samples)) history.store.sealHour(KEY, hour);
    await history.flush();
    const count = async (): Promise<number> => {
      const command = ['KEYS', 'gsq-history:*:minutes/*'] as const;
      const keys = await Promise.all(cluster.masters.map(node => node.command(...command)));
      return keys.flat().length;
    };
    assert.ok((await count()) > 0);
    clock.at = TODAY;
    await history.maintain();
    assert.equal(await count(), 0);
    const [day] = await history.store.days(KEY, TODAY - 4 * DAY, TODAY - 3 * DAY);
    assert.equal(day?.playersMax, 4);
    await store.close();
  });

  test(`${name}: gsq moves damaged samples to another key with the same expiry time, and still stores new samples`, async t => {
    await emptied();
    const { blobs } = await openOwner(t);
    const history = openEngineHistory(t, blobs, clockAt(TODAY + 3 * HOUR), () => [KEY]);
    const begin = TODAY + hourPhaseOfKey(KEY);
    const [first, second] = hoursOf(
      KEY,
      everyMinute(begin, begin + 2 * HOUR, at => onlineAt(at, 4)),
    );
    assert.ok(first && second);
    history.store.sealHour(KEY, first);
    await history.flush();
    const { path } = periodOf('minutes', first.hour);
    const keys = [path, asideName(path)].map(part => blobKey({ bucket: BUCKET, name: part }));
    const [key = '', aside = ''] = keys;
    // Runs a Redis command on the master that stores the history keys. The test does not know which master this is, so
    // it sends the command to all masters. All other masters refuse the command.
    const run = async (...command: string[]): Promise<unknown> =>
      Promise.any(cluster.masters.map(node => node.command(...command)));
    await run('SETRANGE', key, '0', 'no history');
    const expiresAt = await run('PEXPIRETIME', key);
    history.store.sealHour(KEY, second);
    await history.flush();
    assert.deepEqual(await history.store.hours(KEY, TODAY, TODAY + DAY), [second]);
    assert.equal(String(await run('GETRANGE', aside, '0', '9')), 'no history');
    assert.deepEqual([await run('PEXPIRETIME', aside), Number(expiresAt) > 0], [expiresAt, true]);
    assert.equal(history.counters.damaged, 1);
  });
}
