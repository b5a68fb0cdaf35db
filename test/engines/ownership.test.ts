import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ALL_BUCKETS, bucketOf, SERVER_BUCKETS } from '../../core/cluster/buckets.ts';
import { GRACE_MS, LEASE_MS } from '../../core/cluster/member-lease.ts';
import { slotOfBucket } from '../../core/store/redis/hash-slots.ts';
import { openStoreAlone } from '../../core/store/redis/owned-store.ts';
import { TABLE_BUCKET, TABLE_KEYS } from '../../core/store/redis/table-scripts.ts';
import { createLogger } from '../../runtime/log.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { until } from '../system/until.ts';
import { EngineCluster } from './engine-cluster.ts';
import { enginesToTest } from './engine-program.ts';
import { type OpenedMember, openMember, shared, startMember } from './opened-member.ts';
import { flush, insert, put } from './redis-stores.ts';

/** Time after which a core that does not renew its lease no longer counts as a member of the cluster, ms. */
const LONG_MS = LEASE_MS + 1_500;
const ALL = Array.from({ length: ALL_BUCKETS }, (_, bucket) => bucket);

for (const kind of enginesToTest()) {
  let cluster: EngineCluster;
  const opened: OpenedMember[] = [];
  const open = async (address: string): Promise<OpenedMember> => {
    const member = await openMember(cluster.url, address);
    opened.push(member);
    return member;
  };
  before(async () => {
    cluster = await EngineCluster.start(kind);
  });
  after(async () => {
    for (const member of opened) await member.close();
    await cluster.stop();
  });
  /** Closes all cluster members that the previous test opened, and deletes all data from the database cluster. */
  const mend = async (): Promise<void> => {
    for (const member of opened.splice(0)) await member.close();
    await flush(cluster);
  };
  const tableNode = () => cluster.ownerOf(slotOfBucket(TABLE_BUCKET));
  /**
   * Waits until a cluster member has renewed its lease, so that the lease ends at least `ms` milliseconds later than
   * before.
   */
  const renewedFor = async ({ ownership, lost }: OpenedMember, ms: number): Promise<void> => {
    const ends = async () =>
      Number(await tableNode().command('ZSCORE', TABLE_KEYS[1] ?? '', ownership.self.id));
    const first = await ends();
    await until('a renewed lease', ends, time => lost.length > 0 || time >= first + ms);
    assert.deepEqual(lost, []);
  };

  test(`${kind}: the cores of a cluster divide all buckets (groups of servers) between them, and each core can write only to its own buckets`, async () => {
    await mend();
    const first = await open('a:1');
    await shared(first);
    assert.equal(first.ownership.ownedBuckets, ALL_BUCKETS);
    const others = [await open('b:1'), await open('c:1')];
    await shared(first, ...others);
    for (const { ownership } of [first, ...others]) {
      assert.equal(ownership.lead?.id, first.ownership.self.id);
      assert.deepEqual(ownership.members.map(({ address }) => address).sort(), ['a:1', 'b:1', 'c:1']);
    }
    const keys = Array.from({ length: 300 }, (_, i) => `s/csgo 10.0.${i >> 8}.${i & 255}:1`);
    for (const { ownership, store } of [first, ...others]) {
      const [own, foreign] = [true, false].map(isOwn =>
        keys.filter(key => ownership.owns(bucketOf(key)) === isOwn),
      );
      await store.insertIfAbsent((own ?? []).map(key => insert(key)));
      const [other = ''] = foreign ?? [];
      await assert.rejects(store.commit([put(other)]), { name: 'NotOwned' });
      await assert.rejects(store.insertIfAbsent([insert(other)]), { name: 'NotOwned' });
      assert.equal(store.append(put(other)), false);
      const read: string[] = [];
      await store.readAll('s/', key => void read.push(key));
      assert.deepEqual(read.sort(), own?.sort());
    }
    await assert.rejects(others[0]?.store.commit([put('t/a')]) ?? Promise.resolve(), { name: 'NotOwned' });
    await first.store.commit([put('t/a')]);
    for (const { store } of others) {
      const read: string[] = [];
      await store.readAll('t/', key => void read.push(key));
      assert.deepEqual(read, ['t/a']);
    }
  });

  test(`${kind}: a core that shuts down gives all its buckets (groups of servers) and the role of lead (owner of the accounts) to another core`, async () => {
    await mend();
    const [first, second] = [await open('a:1'), await open('b:1')];
    await shared(first, second);
    const { lead } = first.ownership;
    const [leading, other] = lead?.id === first.ownership.self.id ? [first, second] : [second, first];
    leading.store.append(put('t/last'));
    await leading.close();
    assert.equal(leading.ownership.owns(SERVER_BUCKETS), false);
    await shared(other);
    assert.equal(other.ownership.lead?.id, other.ownership.self.id);
    const read: string[] = [];
    await other.store.readAll('t/', key => void read.push(key));
    assert.deepEqual(read, ['t/last']);
    assert.deepEqual([...leading.lost, ...other.lost], []);
  });

  test(`${kind}: other cores take the buckets (groups of servers) of a core that was killed, and of a core that is paused (SIGSTOP)`, async () => {
    await mend();
    const first = await open('a:1');
    await shared(first);
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const child = await startMember(cluster.url, 'b:1');
      try {
        const owned = () => first.ownership.ownedBuckets;
        const half = (ALL_BUCKETS / 2) * 1.1;
        await until('a second member', owned, count => count < half, 60_000);
        child.signal(signal);
        const began = performance.now();
        await until('all buckets', owned, count => count === ALL_BUCKETS, 60_000);
        process.stdout.write(
          `${kind}: taken after ${signal} and ${Math.round(performance.now() - began)} ms\n`,
        );
        assert.equal(first.ownership.members.length, 1);
        if (signal === 'SIGSTOP') {
          child.signal('SIGCONT');
          assert.equal(await child.ended, 1);
          assert.match(child.output, /lost: bucket/);
        }
      } finally {
        await child.stop('SIGKILL');
      }
    }
    assert.deepEqual(first.lost, []);
  });

  test(`${kind}: a core that was killed takes its own buckets (groups of servers) again when it restarts, although its lease has not ended`, async () => {
    await mend();
    const first = await open('a:1');
    await shared(first);
    const directory = scratchDirectory();
    const child = await startMember(cluster.url, 'b:1', directory);
    const owned = () => first.ownership.ownedBuckets;
    await until('a second member', owned, count => count < (ALL_BUCKETS / 2) * 1.1, 60_000);
    const killed = first.ownership.members.find(({ address }) => address === 'b:1')?.id ?? '';
    const taken = first.taken.length;
    await child.stop('SIGKILL');
    // Extends the lease of the killed member again and again. So only the restarted member can end this lease.
    const extending = setInterval(() => {
      const command = `redis.call('ZADD', KEYS[1], 'XX', redis.call('TIME')[1] * 1000 + ${LEASE_MS}, ARGV[1])`;
      void tableNode().command('EVAL', command, '1', TABLE_KEYS[1] ?? '', killed);
    }, 100);
    try {
      const second = await openMember(cluster.url, 'b:1', undefined, directory);
      opened.push(second);
      await shared(first, second);
      assert.equal(first.taken.length, taken);
      assert.deepEqual([...first.lost, ...second.lost], []);
    } finally {
      clearInterval(extending);
    }
  });

  test(`${kind}: gsq migrate cannot use a store that a core uses, and no core joins the cluster while gsq migrate runs`, async () => {
    await mend();
    const first = await open('a:1');
    const lost: Error[] = [];
    const alone = () =>
      openStoreAlone({
        url: cluster.url,
        program: 'gsq-migrate:',
        log: createLogger('migrate', 'silent'),
        patience: () => 0,
        onFailure: () => {},
        onLost: error => void lost.push(error),
      });
    await assert.rejects(alone(), {
      name: 'OwnedElsewhere',
      message: new RegExp(`in use by ${first.ownership.self.id}`),
    });
    await first.close();
    // Simulates the time after a failover: for some seconds, the owner table lets no process acquire buckets (groups
    // of servers).
    await tableNode().command('HSET', TABLE_KEYS[0] ?? '', 'claims-from', String(Date.now() + GRACE_MS));
    const { store } = await alone();
    await store.commit([put('t/a'), put('s/csgo 10.0.0.1:1')]);
    await assert.rejects(alone(), { name: 'OwnedElsewhere', message: /in use by gsq-migrate:/ });
    const waited: string[] = [];
    const waiting = openMember(cluster.url, 'b:1', user => void waited.push(user));
    await until(
      'a member that waits',
      () => waited,
      users => users.length > 0,
    );
    assert.match(waited[0] ?? '', /^gsq-migrate:/);
    await store.close();
    const second = await waiting;
    opened.push(second);
    await shared(second);
    assert.deepEqual([...first.lost, ...second.lost, ...lost], []);
  });

  test(`${kind}: if the database loses the owner table (which core owns which servers), the owner acquires its buckets (groups of servers) again`, async () => {
    await mend();
    const first = await open('a:1');
    await shared(first);
    await tableNode().command('DEL', ...TABLE_KEYS);
    await until(
      'an owner in the table',
      async () => String(await tableNode().command('HGET', TABLE_KEYS[3] ?? '', '7')),
      owner => owner.endsWith(` ${first.ownership.self.id}`),
    );
    await shared(first);
    await first.store.commit([put('s/csgo 10.0.0.1:1')]);
    await shared(first, await open('b:1'));
    assert.deepEqual([first.lost, first.store.fencedWrites], [[], 0]);
  });

  test(`${kind}: a core can join the cluster and renew its lease while the memory of all database nodes is full`, async () => {
    await mend();
    const limit = (bytes: string) =>
      Promise.all(cluster.masters.map(node => node.command('CONFIG', 'SET', 'maxmemory', bytes)));
    await limit('1');
    try {
      const member = await open('a:1');
      await renewedFor(member, 1_000);
    } finally {
      await limit('0');
    }
  });

  test(`${kind}: a core takes the buckets (groups of servers) of a killed core even while the memory of all database nodes is full`, async () => {
    await mend();
    const first = await open('a:1');
    await shared(first);
    const child = await startMember(cluster.url, 'b:1');
    const limit = (bytes: string) =>
      Promise.all(cluster.masters.map(node => node.command('CONFIG', 'SET', 'maxmemory', bytes)));
    const owned = () => first.ownership.ownedBuckets;
    try {
      await until('a second member', owned, count => count < (ALL_BUCKETS / 2) * 1.1, 60_000);
      await limit('1');
      child.signal('SIGKILL');
      await until('all buckets', owned, count => count === ALL_BUCKETS, 60_000);
    } finally {
      await limit('0');
      await child.stop('SIGKILL');
    }
    assert.deepEqual(first.lost, []);
  });

  test(`${kind}: a core keeps its lease and its buckets (groups of servers) while no database replica confirms the renewals of the lease`, async () => {
    await mend();
    const member = await open('a:1');
    await shared(member);
    const replicas = cluster.nodes.filter(({ role }) => role === 'replica');
    for (const node of replicas) cluster.pause(node);
    try {
      await renewedFor(member, LONG_MS);
      assert.ok(ALL.every(bucket => member.ownership.owns(bucket)));
    } finally {
      for (const node of replicas) cluster.resume(node);
      await cluster.settled();
    }
  });

  test(`${kind}: a core takes the buckets (groups of servers) of a killed core even while no database replica runs`, async () => {
    await mend();
    const first = await open('a:1');
    await shared(first);
    const child = await startMember(cluster.url, 'b:1');
    const replicas = cluster.nodes.filter(({ role }) => role === 'replica');
    const owned = () => first.ownership.ownedBuckets;
    try {
      await until('a second member', owned, count => count < (ALL_BUCKETS / 2) * 1.1, 60_000);
      for (const node of replicas) cluster.pause(node);
      child.signal('SIGKILL');
      await until('all buckets', owned, count => count === ALL_BUCKETS, 60_000);
    } finally {
      for (const node of replicas) cluster.resume(node);
      await cluster.settled();
      await child.stop('SIGKILL');
    }
    assert.deepEqual(first.lost, []);
  });

  test(`${kind}: cores keep their servers when the database master with the owner table (which core owns which servers) dies`, async () => {
    await mend();
    const [first, second] = [await open('a:1'), await open('b:1')];
    await shared(first, second);
    const master = tableNode();
    await cluster.kill(master);
    await cluster.settled();
    await master.start();
    await cluster.settled();
    await Promise.all([first, second].map(member => renewedFor(member, LONG_MS)));
    await shared(first, second);
    assert.deepEqual([...first.lost, ...second.lost], []);
  });
}
