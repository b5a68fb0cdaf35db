import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import type { TestContext } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { Authenticator } from '../../../core/access/authenticator.ts';
import { readTokenKey } from '../../../core/access/token-key.ts';
import type { TokenRequest } from '../../../core/access/token-service.ts';
import { backupChunks } from '../../../core/backup/backup.ts';
import { OwnFeedSource } from '../../../core/feed/feed-source.ts';
import { DataDirectory } from '../../../core/ops/data-directory.ts';
import { ServiceStats, serviceStatus } from '../../../core/ops/service-stats.ts';
import { adminService } from '../../../core/rpc/admin-service.ts';
import { gameService } from '../../../core/rpc/game-service.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { internalGuard } from '../../../core/rpc/internal-guard.ts';
import { probeService } from '../../../core/rpc/probe-service.ts';
import { Readers } from '../../../core/rpc/readers.ts';
import { serverService } from '../../../core/rpc/server-service.ts';
import { SearchIndex } from '../../../core/search/search-index.ts';
import { ServerFetch } from '../../../core/servers/server-fetch.ts';
import { ServerRecords } from '../../../core/servers/server-records.ts';
import { Resolver } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import {
  clients,
  credentialKeys,
  insecure,
  internalMetadata,
  withKeepaliveTimeout,
} from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { serverServiceDefinition } from '../../../proto/streams/fetch-service.ts';
import { probeServiceDefinition } from '../../../proto/streams/probe-service.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { createLogger } from '../../../runtime/log.ts';
import { freeInserts } from '../admission/free-inserts.ts';
import { payloadOf } from '../payload-of.ts';
import { HOLD_MS, openComponents, PROBE_INTERVAL_MS } from './core-components.ts';

/**
 * Client options with a long keepalive timeout. Core and clients share the event loop of the test. If this loop is busy
 * for longer than the timeout (usually a second), the clients drop their connections.
 */
const patient = withKeepaliveTimeout(insecure, 120_000);

/** Options for the core that `runningCore` starts for a test. */
export interface RunningCoreOptions {
  /**
   * If true, the metadata of a call can give the IP address of the original caller, and the core uses this address. If
   * false, the core always uses the address of the connection.
   */
  trusted?: boolean;
  /** Maximum number of requests per second of one token. */
  burstLimit?: number;
  secret?: string;
  /** Ids of the games in the catalog of the core. */
  games?: readonly string[];
  /** Time between two heartbeats of a stream of changes, ms. */
  heartbeatMs?: number;
  /** Maximum number of servers that the core tracks. */
  maxServers?: number;
}

/**
 * Starts every service of the core on one loopback port, with its real components. The clock stands still until the
 * test changes it.
 */
export async function runningCore(
  t: TestContext,
  {
    trusted = true,
    secret,
    burstLimit = 100_000,
    games = ['csgo', 'css'],
    heartbeatMs = 60_000,
    maxServers,
  }: RunningCoreOptions = {},
) {
  const closers: (() => unknown)[] = [];
  t.after(async () => {
    for (const close of closers.reverse()) await close();
  });
  const components = await openComponents(closers, games, maxServers);
  const { clock, directory, level, credentials, store, tokens, quota, lastUse } = components;
  const { tokenService, catalog, changes, feed, givenUp, dispatcher } = components;
  const authenticator = new Authenticator(tokens, quota, lastUse, burstLimit, clock.now);
  const policy = new TargetPolicy(['127.0.0.0/8'], { denied: ['127.9.0.0/16'] });
  const fetch = new ServerFetch({
    guard: freeInserts(),
    catalog,
    store,
    givenUp,
    changes,
    policy,
    resolver: new Resolver([], clock.now),
    onInserted: () => dispatcher.wake(),
  });
  const records = new ServerRecords({ store, engine: level, credentials });
  const freshness = { staleAfterMs: HOLD_MS, probeIntervalMs: PROBE_INTERVAL_MS };
  const search = new SearchIndex({
    records: () => store.records(),
    count: () => store.stats().tracked,
    onFailure: cause => assert.fail(cause),
  });
  closers.push(() => search.close());
  feed.subscribe(change => search.addChange(change));
  const closing = new AbortController();
  // Turns off Node's warning about many listeners, because every open stream adds a listener to this abort signal.
  setMaxListeners(0, closing.signal);
  const defects: { error: unknown; method: string }[] = [];
  const handlers = new Handlers(secret === undefined ? () => {} : internalGuard(secret), (error, method) =>
    defects.push({ error, method }),
  );

  const stats = new ServiceStats({
    store,
    dispatcher,
    unconfirmed: { size: 0 },
    data: new DataDirectory(directory),
    journals: [handlers.journal],
    liveTokens: () => tokenService.countLive(),
    startedAt: clock.now(),
  });
  const server = createInternalServer();
  server.addService(gsqV1.GameService.service, gameService(catalog, handlers, clock.now));
  server.addService(
    serverServiceDefinition,
    serverService(
      {
        authenticator,
        readers: new Readers(authenticator, false),
        catalog,
        store,
        records,
        search,
        fetch,
        source: new OwnFeedSource(feed, store, changes),
        heartbeatMs,
        freshness,
        status: () => serviceStatus(store, dispatcher),
        now: clock.now,
        trusted,
        proxied: false,
        closing: closing.signal,
      },
      handlers,
    ),
  );
  server.addService(
    probeServiceDefinition,
    probeService(
      {
        dispatcher,
        policy,
        log: createLogger('core', 'silent'),
        closing: closing.signal,
      },
      handlers,
    ),
  );
  server.addService(
    gsqV1.AdminService.service,
    adminService(
      {
        backup: () =>
          backupChunks({
            servers: () => records.all(),
            credentials,
            tokens: () => tokenService.list(),
            quota,
            lastUse,
            webhooks: () => [],
            tokenKey: () => readTokenKey(directory),
            now: clock.now,
          }),
        tokenService,
        quota,
        lastUse,
        catalog,
        fetch,
        records,
        store,
        givenUp,
        credentials,
        stats,
        freshness,
        now: clock.now,
      },
      handlers,
    ),
  );
  const address = formatEndpoint(await listen(server, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 }));
  closers.push(() => server.forceShutdown());
  const client = {
    game: clients.game(address, patient),
    server: clients.server(address, patient),
    probe: clients.probe(address, patient),
    admin: clients.admin(address, patient),
  };
  for (const each of Object.values(client)) closers.push(() => each.close());

  return {
    clock,
    /** Address of the gRPC port, `host:port`. */
    address,
    level,
    directory,
    store,
    feed,
    givenUp,
    credentials,
    quota,
    tokenService,
    dispatcher,
    closing,
    defects,
    client,
    /** Creates a token. Returns its id, and request metadata with its credentials. */
    async token(change: Partial<TokenRequest> = {}): Promise<{ id: string; metadata: Metadata }> {
      const wish = { tier: 'FREE', email: 'ann@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
      const made = await tokenService.create({ ...wish, ...change });
      const metadata = secret === undefined ? new Metadata() : internalMetadata(secret);
      metadata.set(credentialKeys.token, made.secret);
      metadata.set(credentialKeys.tier, made.token.tier);
      metadata.set(credentialKeys.email, made.token.email);
      return { id: made.token.id, metadata };
    },
    /** Inserts servers of the game csgo. */
    track: (...addresses: string[]) =>
      store.insertIfAbsent(addresses.map(each => ({ gameId: 'csgo', address: each, insertedBy: 'admin' }))),
    /**
     * Connects a prober that reports each server that it is ordered to probe as online. The returned function
     * disconnects it.
     */
    joinProber(name = 'One'): () => void {
      const prober = {
        prober: 'p',
        announced: 10_000,
        capacity: 10_000,
        send: (leases: readonly { leaseId?: unknown }[]): boolean => {
          const reports = leases.map(({ leaseId }) => ({
            leaseId: Number(leaseId),
            outcome: 'PROBE_OUTCOME_ONLINE' as const,
            payload: payloadOf({ name }),
            queryPort: 27015,
          }));
          setImmediate(() => dispatcher.report(prober, reports));
          return true;
        },
      };
      dispatcher.join(prober);
      return () => dispatcher.leave(prober);
    },
  };
}
