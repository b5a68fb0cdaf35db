import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Peers } from '../../../core/cluster/peers.ts';
import { ClusterSearch } from '../../../core/merge/cluster-search.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { Readers } from '../../../core/rpc/readers.ts';
import { searchParts } from '../../../core/rpc/search-parts.ts';
import { trackedServerMethods } from '../../../core/rpc/tracked-servers.ts';
import { sorts } from '../../../core/search/search-query.ts';
import { MemoryFragmentCache } from '../../../core/store/memory/fragment-cache.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { HttpBody__Output } from '../../../proto/generated/google/api/HttpBody.ts';
import type { ServerServiceClient } from '../../../proto/generated/gsq/v1/ServerService.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { openAuthenticator } from '../access/authenticator-fixture.ts';
import { catalogOf } from '../catalog-of.ts';
import { unary } from '../rpc/answer.ts';
import { Fleet, GAMES } from '../search/random-fleet.ts';
import { recordWith } from '../search/search-fleet.ts';
import { servedCores } from './served-cores.ts';
import { share, TestCore } from './test-core.ts';

/** Returns a replacement for `ClusterSearch` that searches only the servers of one core. */
function ownSearch({ search, store }: TestCore): Pick<ClusterSearch, 'search' | 'count'> {
  return {
    async search(query) {
      const { keys, total, next } = await search.search(query);
      return { records: store.getMany(keys).filter(record => record !== undefined), total, next };
    },
    count: query => search.count(query),
  };
}

/**
 * Starts a gRPC server with the ServerService methods that list servers. By default, they search only the servers of
 * `core`.
 */
async function lists(
  t: TestContext,
  core: TestCore,
  clusterSearch: Pick<ClusterSearch, 'search' | 'count'> = ownSearch(core),
): Promise<ServerServiceClient> {
  const { authenticator, clock } = await openAuthenticator(t);
  const server = createInternalServer();
  const handlers = new Handlers(
    () => {},
    error => assert.fail(String(error)),
  );
  const { store, search } = core;
  const methods = trackedServerMethods(
    {
      readers: new Readers(authenticator, false, undefined, true),
      catalog: await catalogOf(clock.now, ...GAMES),
      freshness: { staleAfterMs: 600_000, probeIntervalMs: 60_000 },
      now: clock.now,
      trusted: false,
      ...{ search, clusterSearch },
      store: { ...store, findKey: () => false, plainFragments: new MemoryFragmentCache() },
      records: { readRecords: async keys => store.getMany(keys) },
    },
    handlers,
  );
  server.addService(gsqV1.ServerService.service, methods);
  const client = clients.server(
    formatEndpoint(await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 })),
  );
  t.after(() => {
    client.close();
    server.forceShutdown();
  });
  return client;
}

describe('a core of a cluster', () => {
  it('returns the same bytes for lists and summaries as a single core that has all servers', async t => {
    const below = randomNumbers(11);
    const fleet = new Fleet(below);
    for (let i = 0; i < 250; i++) fleet.change();
    const records = [...fleet.servers.values()].map(recordWith);
    const whole = new TestCore();
    const cores = Array.from({ length: 3 }, (_, i) => new TestCore(share(i, 3)));
    whole.load(records);
    const parts = cores.map(() => [] as typeof records);
    for (const record of records) parts[below(cores.length)]?.push(record);
    for (const [i, core] of cores.entries()) core.load(parts[i] ?? []);
    const { peers, defects } = await servedCores(
      t,
      cores.map(core => handlers => searchParts(core, handlers)),
    );
    const [first] = cores as [TestCore, ...TestCore[]];
    const clusterSearch = new ClusterSearch({ ...first, peers: peers[0] as Peers });
    const [one, entry] = [await lists(t, whole), await lists(t, first, clusterSearch)];
    let pages = 0;
    for (const sort of sorts) {
      for (let pageToken = '', isLast = false; !isLast; pages++) {
        const request = { sort, pageSize: 17, pageToken };
        const [wanted, found] = await Promise.all(
          [one, entry].map(client => unary<HttpBody__Output>(done => client.listServersJson(request, done))),
        );
        assert.equal(found?.data.toString(), wanted?.data.toString());
        const [typedWanted, typed] = await Promise.all(
          [one, entry].map(client => unary(done => client.listServers(request, done))),
        );
        assert.deepEqual(typed, typedWanted);
        pageToken = (JSON.parse(String(found?.data)) as { next_page_token: string }).next_page_token;
        isLast = pageToken === '';
      }
    }
    assert.ok(pages > 20, `${pages} pages`);
    for (const game of ['', ...GAMES]) {
      const [wanted, found] = await Promise.all(
        [one, entry].map(client => unary<HttpBody__Output>(done => client.getSummaryJson({ game }, done))),
      );
      assert.equal(found?.data.toString(), wanted?.data.toString());
    }
    assert.deepEqual(defects, []);
  });
});
