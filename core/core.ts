import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { gsqV1 } from '../proto/descriptors.ts';
import { serverServiceDefinition } from '../proto/fetch-service.ts';
import { probeServiceDefinition } from '../proto/probe-service.ts';
import type { settings } from '../proto/settings.ts';
import { type Config, ConfigError, formatEndpoint } from '../runtime/config.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, opsHandler } from '../runtime/ops-server.ts';
import { Resolver } from '../runtime/resolver.ts';
import { DayQuota } from './access/day-quota.ts';
import { Gate } from './access/gate.ts';
import { LastUse } from './access/last-use.ts';
import { TokenOffice } from './access/token-office.ts';
import { Tokens } from './access/tokens.ts';
import { Catalog } from './catalog/catalog.ts';
import { catalogFile } from './catalog/catalog-file.ts';
import { coreMetrics } from './core-metrics.ts';
import { checkSettings, reasonOf, storeError } from './core-settings.ts';
import { adminService } from './rpc/admin-service.ts';
import { gameService } from './rpc/game-service.ts';
import { createInternalServer, drain, listen, PublicServer } from './rpc/grpc-server.ts';
import { Handlers } from './rpc/handler.ts';
import { Health } from './rpc/health.ts';
import { internalGuard } from './rpc/internal-guard.ts';
import { probeService } from './rpc/probe-service.ts';
import { addReflection } from './rpc/reflection.ts';
import { serverService } from './rpc/server-service.ts';
import { Dispatcher } from './schedule/dispatcher.ts';
import { InsertGuard } from './servers/insert-guard.ts';
import { InsertRates } from './servers/insert-rates.ts';
import { ServerChanges } from './servers/server-changes.ts';
import { ServerFetch } from './servers/server-fetch.ts';
import { UNPROVEN_LIMITS, Unproven } from './servers/unproven.ts';
import { EmbeddedServerStore } from './store/embedded-server-store.ts';
import { Level } from './store/level.ts';

type Settings = Config<typeof settings>;

/** Longer than any probe takes; a prober that dies in silence costs this long. */
const LEASE_MS = 30_000;

const PUBLIC_SERVICES = ['gsq.v1.GameService', 'gsq.v1.ServerService', 'grpc.health.v1.Health'];

/** Makes the operator's own token where it does not exist yet. */
async function bootstrapToken(office: TokenOffice, config: Settings): Promise<void> {
  if (config.GSQ_BOOTSTRAP_TOKEN === undefined) return;
  await office.bootstrap(config.GSQ_BOOTSTRAP_TOKEN, {
    tier: config.GSQ_BOOTSTRAP_TYPE,
    email: config.GSQ_BOOTSTRAP_EMAIL,
    expiresAt: 0,
    allowIps: [],
    allowDomains: [],
  });
}

/** Puts the core together and starts it: the one place that knows every part. */
export async function startCore(config: Settings, log: Logger, now: () => number): Promise<Running> {
  const policy = checkSettings(config);
  const catalogPath = config.GSQ_CATALOG;
  const catalog = await Catalog.load({
    source: catalogFile(catalogPath),
    now,
    onRefreshFailure: error =>
      log.error({ err: error, catalogPath }, 'catalog not refreshed, the last good one stays'),
  }).catch((error: unknown) => {
    throw new ConfigError(`GSQ_CATALOG: ${reasonOf(error)}`);
  });

  const resolver = new Resolver(config.GSQ_DNS_SERVERS, now);

  const level = await Level.open(join(config.GSQ_DATA_DIR, 'leveldb'), error => {
    // Whatever was acknowledged is on disk; a fresh process finds it there.
    log.fatal({ err: error }, 'store failed');
    process.exit(1);
  }).catch((error: unknown) => {
    throw storeError(config.GSQ_DATA_DIR, error);
  });
  const probeIntervalMs = config.GSQ_PROBE_INTERVAL;
  const unproven = new Unproven({
    ...UNPROVEN_LIMITS,
    inAll: config.GSQ_MAX_UNPROVEN,
    aToken: config.GSQ_MAX_UNPROVEN_PER_TOKEN,
  });
  const insertRates = new InsertRates(
    { aMinute: config.GSQ_INSERTS_PER_MINUTE, aDay: config.GSQ_INSERTS_PER_DAY },
    now,
  );
  const guard = new InsertGuard(insertRates, unproven);
  const store = await EmbeddedServerStore.load(level, {
    now,
    probeIntervalMs,
    leaseMs: LEASE_MS,
    maxServers: config.GSQ_MAX_SERVERS,
    unproven,
  });
  const tokens = await Tokens.load(level, config.GSQ_DATA_DIR);
  const quota = await DayQuota.load(level, now);
  const lastUse = await LastUse.load(level, now);
  const office = new TokenOffice(tokens, now);
  await bootstrapToken(office, config);

  const changes = new ServerChanges();
  const dispatcher: Dispatcher = new Dispatcher({
    store,
    changes,
    catalog,
    now,
    probeIntervalMs,
    unprovenProbes: config.GSQ_UNPROVEN_PROBES,
    onFreeze(frozen) {
      const { ignored } = dispatcher;
      if (frozen)
        log.warn({ ignored }, 'a prober seems cut off: failed probes are ignored until replies come');
      else log.info({ ignored }, 'failed probes count again');
    },
  });
  const gate = new Gate(tokens, quota, lastUse, config.GSQ_BURST_LIMIT, now);
  const fetch = new ServerFetch({
    catalog,
    store,
    changes,
    policy,
    resolver,
    guard,
    onInserted: () => dispatcher.wake(),
  });
  const freshness = { staleAfterMs: config.GSQ_STALE_AFTER, probeIntervalMs };
  const closing = new AbortController();
  // Every stream listens.
  setMaxListeners(0, closing.signal);

  const defect = (error: unknown, method: string, requestId?: string): void =>
    log.error({ err: error, method, request_id: requestId }, 'defect');
  const open = new Handlers(() => {}, defect);
  const guarded = new Handlers(internalGuard(config.GSQ_INTERNAL_SECRET), defect);
  const serverParts = { gate, fetch, changes, freshness, now, closing: closing.signal };

  const health = new Health(['gsq.v1.GameService', 'gsq.v1.ServerService']);
  const publicServer = new PublicServer(config.GSQ_TRUST_PROXY === 0);
  publicServer.addService(gsqV1.GameService.service, gameService(catalog, open, now));
  publicServer.addService(serverServiceDefinition, serverService({ ...serverParts, trusted: false }, open));
  health.addTo(publicServer);
  addReflection(publicServer, PUBLIC_SERVICES);

  const internalServer = createInternalServer();
  internalServer.addService(gsqV1.GameService.service, gameService(catalog, guarded, now));
  internalServer.addService(
    serverServiceDefinition,
    serverService({ ...serverParts, trusted: true }, guarded),
  );
  internalServer.addService(
    probeServiceDefinition,
    probeService({ dispatcher, policy, log, closing: closing.signal }, guarded),
  );
  internalServer.addService(
    gsqV1.AdminService.service,
    adminService({ office, quota, lastUse, catalog, fetch, store, dispatcher, freshness, now }, guarded),
  );
  health.addTo(internalServer);

  const metrics = coreMetrics({ store, dispatcher, catalog, unproven, guard });
  const ops = await listenOps(
    'GSQ_CORE_OPS_ADDR',
    config.GSQ_CORE_OPS_ADDR,
    opsHandler({
      metrics,
      ready: () => (store.healthy ? { ready: true } : { ready: false, reason: 'the store takes no writes' }),
    }),
  );
  const internalEndpoint = await listen(internalServer, 'GSQ_INTERNAL_ADDR', config.GSQ_INTERNAL_ADDR);
  const publicEndpoint = await listen(publicServer, 'GSQ_GRPC_ADDR', config.GSQ_GRPC_ADDR);

  return {
    addresses: {
      GSQ_GRPC_ADDR: formatEndpoint(publicEndpoint),
      GSQ_INTERNAL_ADDR: formatEndpoint(internalEndpoint),
      GSQ_CORE_OPS_ADDR: formatEndpoint(ops.endpoint),
    },
    async drain() {
      health.stopServing();
      closing.abort();
      await Promise.all([drain(publicServer), drain(internalServer)]);
      dispatcher.close();
      quota.close();
      lastUse.close();
      // That the store cannot write was told already.
      await store.close().catch(() => {});
      await level.close();
      await ops.close();
    },
  };
}
