import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Peers } from '../../../core/cluster/peers.ts';
import { ClusterSearch } from '../../../core/merge/cluster-search.ts';
import { searchParts } from '../../../core/rpc/search-parts.ts';
import type { ServerSearch } from '../../../core/search/search-index.ts';
import type { GameCount, SearchQuery } from '../../../core/search/search-query.ts';
import { encodeRecord } from '../../../core/servers/record-codec.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { Fleet } from '../search/random-fleet.ts';
import { type KnownFields, naiveSearch, queryOf, recordWith } from '../search/search-fleet.ts';
import { CORES, isCore1, serverAt, threeCores } from './search-cores.ts';
import { servedCores } from './served-cores.ts';
import { share, TestCore } from './test-core.ts';

/**
 * Reads all pages of a search result, each page from the next core in turn. `entries`: one `ClusterSearch` for each
 * core.
 */
async function walk(entries: readonly ClusterSearch[], query: SearchQuery) {
  const records: ServerRecord[] = [];
  let pages = 0;
  let after: SearchQuery['after'];
  for (;;) {
    const page = await (entries[pages % entries.length] as ClusterSearch).search({ ...query, after });
    records.push(...page.records);
    pages++;
    assert.ok(page.next === undefined || page.records.length === query.limit, 'a page in the middle is full');
    if (!page.next) return { records, total: page.total, pages };
    after = page.next;
  }
}

const keysOf = (records: readonly ServerRecord[]): string[] => records.map(({ key }) => key);
describe('a search in a cluster of cores', () => {
  it('returns the same pages as a search of all servers in one index, whichever core gets the request', async t => {
    const { cores, entries, defects } = await threeCores(t);
    let found = 0;
    let turned = 0;
    for (let seed = 1; seed <= 2; seed++) {
      const below = randomNumbers(seed);
      const fleet = new Fleet(below);
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 60; i++) fleet.change();
        const parts: ServerRecord[][] = cores.map(() => []);
        for (const server of fleet.servers.values()) parts[below(CORES)]?.push(recordWith(server));
        for (const [i, core] of cores.entries()) core.load(parts[i] as ServerRecord[]);
        for (let i = 0; i < 12; i++) {
          const any = fleet.query();
          const query =
            i % 2 === 0
              ? any
              : queryOf({ sort: any.sort, limit: any.limit, words: i === 1 ? any.words : '' });
          const wanted = naiveSearch(fleet.servers.values(), query);
          const { records, total, pages } = await walk(entries, query);
          assert.deepEqual(keysOf(records), wanted, JSON.stringify(query));
          assert.equal(total, wanted.length);
          for (const record of records)
            assert.deepEqual(
              encodeRecord(record),
              encodeRecord(recordWith(fleet.servers.get(record.key) as KnownFields)),
            );
          found += wanted.length;
          turned += pages - 1;
        }
        const counts = await (entries[round % CORES] as ClusterSearch).count({ gameId: '', scope: 'public' });
        assert.deepEqual(byGame(counts), byGame(naiveCounts(fleet.servers.values())));
      }
    }
    assert.ok(found > 800 && turned > 60, `${found} servers found, ${turned} pages turned`);
    assert.deepEqual(defects, []);
  });

  it('returns a server only once, even if the search index of its previous core still contains it', async t => {
    const { cores, entry } = await threeCores(t);
    const all = Array.from({ length: 30 }, (_, i) => serverAt(i));
    const old = serverAt(7, { players: 29, name: 'old' });
    cores[0]?.load(all.slice(0, 10), []);
    cores[1]?.load(all.slice(10), [old]);
    const { records } = await walk([entry], queryOf({ limit: 30, sort: '-players' }));
    assert.deepEqual(keysOf(records), keysOf(all));
    cores[1]?.load([...all.slice(10), serverAt(7)]);
    const both = await walk([entry], queryOf({ limit: 30, sort: '-players' }));
    assert.deepEqual(keysOf(both.records), keysOf(all));
    assert.equal(both.total, 31);
  });

  it('returns all other servers, page by page, if the records of some servers in the search index are missing', async t => {
    const { cores, entry } = await threeCores(t);
    const all = Array.from({ length: 20 }, (_, i) => serverAt(i));
    cores[1]?.load(all.slice(5), all.slice(0, 5));
    const keys: string[] = [];
    let after: SearchQuery['after'];
    do {
      const page = await entry.search(queryOf({ limit: 4, sort: '-players', after }));
      keys.push(...keysOf(page.records));
      after = page.next;
    } while (after);
    assert.deepEqual(keys, keysOf(all.slice(5)));
  });

  it('leaves out servers that are now hidden from the caller, even if the search index still contains them', async t => {
    const { cores, entry } = await threeCores(t);
    const listed = serverAt(1, { isPublic: true });
    cores[1]?.load([listed]);
    cores[1]?.records.set(listed.key, serverAt(1, { isPublic: false }));
    const { records } = await entry.search(queryOf({ scope: 'public' }));
    assert.deepEqual(records, []);
  });

  it('waits for a core that answers the search later than the other cores', async t => {
    let answer = (): void => {};
    const late = new Promise<void>(resolve => {
      answer = resolve;
    });
    let asked = (): void => {};
    const isAsked = new Promise<void>(resolve => {
      asked = resolve;
    });
    const [own, other] = [new TestCore(share(0, 2)), new TestCore(share(1, 2))];
    own.load([serverAt(1)]);
    other.load([serverAt(2)]);
    const slow: ServerSearch = {
      ...other.search,
      search: async query => {
        asked();
        await late;
        return other.search.search(query);
      },
    };
    const { peers } = await servedCores(t, [
      () => ({}),
      handlers => searchParts({ ...other, search: slow }, handlers),
    ]);
    const entry = new ClusterSearch({ ...own, peers: peers[0] as Peers });
    const found = entry.search(queryOf());
    await isAsked;
    answer();
    assert.equal((await found).total, 2);
  });

  it('fails with CORE_1 if one core does not answer in time', async t => {
    const own = new TestCore();
    const never: ServerSearch = { search: () => new Promise(() => {}), count: () => new Promise(() => {}) };
    const { peers } = await servedCores(t, [
      () => ({}),
      handlers => searchParts({ ...own, search: never }, handlers),
    ]);
    const entry = new ClusterSearch({
      ...own,
      peers: peers[0] as Peers,
      timeoutMs: 50,
    });
    await assert.rejects(entry.search(queryOf()), isCore1);
    await assert.rejects(entry.count({ gameId: '', scope: 'all' }), isCore1);
  });

  it('fails with CORE_1 while a dead core is still a member of the cluster', async t => {
    const { cores, entry, kill, remove } = await threeCores(t);
    cores[0]?.load([serverAt(0)]);
    cores[1]?.load([serverAt(1)]);
    cores[2]?.load([serverAt(2)]);
    assert.equal((await entry.search(queryOf())).total, 3);
    await kill(2);
    await assert.rejects(entry.search(queryOf()), isCore1);
    await assert.rejects(entry.count({ gameId: '', scope: 'all' }), isCore1);
    remove(2);
    cores[0]?.moveBuckets(bucket => bucket % CORES !== 1);
    assert.equal((await entry.search(queryOf())).total, 2);
  });

  it('fails with CORE_1 while another core is still loading its search index', async t => {
    const [own, other] = [new TestCore(share(0, 2)), new TestCore(share(1, 2))];
    const loading: ServerSearch = {
      ...other.search,
      search: async () => {
        throw new ServiceError('CORE_1', 'The search is still loading.', { retryAfterSeconds: 5 });
      },
    };
    const { peers } = await servedCores(t, [
      () => ({}),
      handlers => searchParts({ ...other, search: loading }, handlers),
    ]);
    const entry = new ClusterSearch({ ...own, peers: peers[0] as Peers });
    await assert.rejects(entry.search(queryOf()), {
      code: 'CORE_1',
      message: 'The search is still loading.',
      details: { retryAfterSeconds: 5 },
    });
  });
});

/** Counts the publicly listed servers of each game with a simple loop, for comparison with `ClusterSearch`. */
function naiveCounts(servers: Iterable<KnownFields>): GameCount[] {
  const counts = new Map<string, { gameId: string; servers: number; online: number; players: number }>();
  for (const { gameId, status, players, isPublic } of servers) {
    if (!isPublic) continue;
    const count = counts.get(gameId) ?? { gameId, servers: 0, online: 0, players: 0 };
    counts.set(gameId, count);
    count.servers++;
    if (status !== 'online') continue;
    count.online++;
    count.players += players ?? 0;
  }
  return [...counts.values()];
}

function byGame(counts: readonly GameCount[]): GameCount[] {
  return [...counts].sort((a, b) => (a.gameId < b.gameId ? -1 : 1));
}
