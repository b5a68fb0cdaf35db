import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Peers } from '../../../core/cluster/peers.ts';
import { ClusterSearch } from '../../../core/merge/cluster-search.ts';
import { searchParts } from '../../../core/rpc/search-parts.ts';
import type { ServerSearch } from '../../../core/search/search-index.ts';
import { queryOf } from '../search/search-fleet.ts';
import { CORES, isCore1, serverAt, threeCores } from './search-cores.ts';
import { servedCores } from './served-cores.ts';
import { share, TestCore } from './test-core.ts';

describe('a search while buckets of servers move between cores', () => {
  it('is repeated if a bucket of servers moves to another core, until every bucket has an owner', async t => {
    const { cores, entry, pauses, inPause } = await threeCores(t);
    const [, from, to] = cores as [TestCore, TestCore, TestCore];
    const [kept, moved] = [serverAt(1), serverAt(2)];
    const isMoved = (bucket: number): boolean => bucket === 4;
    from.load([kept, moved]);
    from.moveBuckets(bucket => share(1, CORES)(bucket) && !isMoved(bucket));
    from.load([kept]);
    inPause.do = () => {
      if (pauses.length < 2) return;
      to.load([moved]);
      to.moveBuckets(bucket => share(2, CORES)(bucket) || isMoved(bucket));
    };
    assert.equal((await entry.search(queryOf())).total, 2);
    assert.deepEqual(pauses, [200, 800]);
    assert.equal((await entry.count({ gameId: '', scope: 'all' }))[0]?.servers, 2);
    assert.deepEqual(pauses, [200, 800]);
  });

  it('is repeated if a core gives a bucket away while it searches', async t => {
    const [own, other] = [new TestCore(share(0, 2)), new TestCore(share(1, 2))];
    own.load([serverAt(1)]);
    let searches = 0;
    const moving: ServerSearch = {
      ...other.search,
      search: query => {
        if (++searches === 1) {
          other.moveBuckets(() => false);
          own.moveBuckets(() => true);
        }
        return other.search.search(query);
      },
    };
    const { peers } = await servedCores(t, [
      () => ({}),
      handlers => searchParts({ ...other, search: moving }, handlers),
    ]);
    const entry = new ClusterSearch({ ...own, peers: peers[0] as Peers, pause: async () => {} });
    assert.equal((await entry.search(queryOf())).total, 1);
    assert.equal(searches, 2);
  });

  it('fails with CORE_1 if a bucket of servers still has no owner, or two owners, after 3 s', async t => {
    const { cores, entry, pauses } = await threeCores(t);
    for (const owns of [() => false, () => true]) {
      cores[1]?.moveBuckets(owns);
      for (const wanted of [entry.search(queryOf()), entry.count({ gameId: '', scope: 'all' })])
        await assert.rejects(wanted, isCore1);
    }
    assert.deepEqual(
      pauses.toSorted((a, b) => a - b).filter((ms, i, all) => ms !== all[i - 1]),
      [200, 800, 2_000],
    );
    assert.equal(pauses.length, 4 * 3);
  });

  it('fails with CORE_1 while a core has no valid lease, because another core can own its servers too', async t => {
    const { cores, entry } = await threeCores(t);
    cores[1]?.load([serverAt(1)]);
    assert.equal((await entry.search(queryOf())).total, 1);
    for (const core of [0, 1]) {
      cores[core]?.setLease(false);
      await assert.rejects(entry.search(queryOf()), isCore1);
      await assert.rejects(entry.count({ gameId: '', scope: 'all' }), isCore1);
      cores[core]?.setLease(true);
    }
    assert.equal((await entry.search(queryOf())).total, 1);
  });

  it('accepts the answer of a core of an older version, which does not say which buckets it owns', async t => {
    const [own, other] = [new TestCore(share(0, 2)), new TestCore(share(1, 2))];
    own.load([serverAt(1)]);
    other.load([serverAt(2)]);
    const unknown = {
      during: async <T>(search: () => Promise<T>) => ({ result: await search(), buckets: Buffer.alloc(0) }),
    };
    const { peers } = await servedCores(t, [
      () => ({}),
      handlers => searchParts({ ...other, owned: unknown }, handlers),
    ]);
    const entry = new ClusterSearch({
      ...own,
      peers: peers[0] as Peers,
      pause: () => assert.fail('repeated'),
    });
    assert.equal((await entry.search(queryOf())).total, 2);
  });
});
