import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { Resolver } from '../net/resolver.ts';
import { gsqV1 } from '../proto/descriptors.ts';
import { serverServiceDefinition } from '../proto/fetch-service.ts';
import { probeServiceDefinition } from '../proto/probe-service.ts';
import { type Config, ConfigError } from '../runtime/config.ts';
import { formatEndpoint } from '../runtime/endpoint.ts';
import { internalTls, keepInternalSecret } from '../runtime/internal-port.ts';
import { exitStatus, type Running } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { listenOps, type OpsServer, opsHandler, type Readiness } from '../runtime/ops-server.ts';
import type { settings } from '../runtime/settings.ts';
import { Authenticator } from './access/authenticator.ts';
import { DayQuota } from './access/day-quota.ts';
import { LastUse } from './access/last-use.ts';
import { isLive } from './access/token.ts';
import { readTokenKey } from './access/token-key.ts';
import { TokenService } from './access/token-service.ts';
import { Tokens } from './access/tokens.ts';
import { InsertGuard } from './admission/insert-guard.ts';
import { InsertRates } from './admission/insert-rates.ts';
import { UNCONFIRMED_LIMITS, UnconfirmedServers } from './admission/unconfirmed-servers.ts';
import { backupChunks } from './backup/backup.ts';
import { Catalog } from './catalog/catalog.ts';
import { catalogFile } from './catalog/catalog-file.ts';
import { coreMetrics } from './core-metrics.ts';
import { checkSettings, reasonOf, storeError } from './core-settings.ts';
import { ServerCredentials } from './credentials/server-credentials.ts';
import { FailureDetector } from './detector/failure-detector.ts';
import { DataDirectory } from './ops/data-directory.ts';
import { serverSeries } from './ops/server-series.ts';
import { adminService } from './rpc/admin-service.ts';
import { CallJournal } from './rpc/call-journal.ts';
import type { CallOrigin } from './rpc/call-origin.ts';
import { FailedHandshakes } from './rpc/failed-handshakes.ts';
import { gameService } from './rpc/game-service.ts';
import { createInternalServer, drain, listen, mutualTls, PublicServer } from './rpc/grpc-server.ts';
import { Handlers } from './rpc/handler.ts';
import { Health } from './rpc/health.ts';
import { internalGuard } from './rpc/internal-guard.ts';
import { probeService } from './rpc/probe-service.ts';
import { addReflection } from './rpc/reflection.ts';
import { serverService } from './rpc/server-service.ts';
import { ServiceStats } from './rpc/service-stats.ts';
import { Dispatcher } from './schedule/dispatcher.ts';
import { ReportRecorder, type ReportRecorderParts } from './schedule/report-recorder.ts';
import { GivenUpServers } from './servers/given-up-servers.ts';
import { ServerChanges } from './servers/server-changes.ts';
import { ServerFetch } from './servers/server-fetch.ts';
import { EmbeddedServerStore } from './store/embedded-server-store.ts';
import { LevelDbStore, NoWrites } from './store/leveldb/leveldb-store.ts';
import { StoreSupervisor } from './store/store-supervisor.ts';

type Settings = Config<typeof settings>;

/** Longer than any probe takes; a prober that dies in silence costs this long. */
const LEASE_MS = 30_000;

const PUBLIC_SERVICES = ['gsq.v1.GameService', 'gsq.v1.ServerService', 'grpc.health.v1.Health'];

/** Counts stored entries that cannot be read, of those that nobody was promised. */
class CorruptEntries {
  readonly #log: Logger;
  count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  readonly note = (key: string): void => {
    this.count++;
    this.#log.error(
      { key },
      'a stored entry, the usage of a token or a server given up, does not match its checksum and is forgotten; check the disk, and run gsq doctor',
    );
  };
}

/** Reads all that is stored. Rejects with StoreDamage, or ConfigError. */
async function loadAll(
  level: LevelDbStore,
  config: Settings,
  now: () => number,
  unproven: UnconfirmedServers,
  detector: FailureDetector,
  corrupt: CorruptEntries,
) {
  const credentials = await ServerCredentials.load(level, config.GSQ_DATA_DIR);
  const store = await EmbeddedServerStore.load(level, {
    now,
    probeIntervalMs: config.GSQ_PROBE_INTERVAL,
    leaseMs: LEASE_MS,
    maxServers: config.GSQ_MAX_SERVERS,
    unproven,
    onRemove(keys) {
      for (const key of keys) detector.forget(key);
      return credentials.dropAccess(keys);
    },
  });
  const tokens = await Tokens.load(level, config.GSQ_DATA_DIR);
  const quota = await DayQuota.load(level, now, corrupt.note);
  const lastUse = await LastUse.load(level, now, corrupt.note);
  const unanswered = await GivenUpServers.load(level, {
    now,
    most: config.GSQ_MAX_UNPROVEN,
    isTracked: key => store.getMany([key])[0] !== undefined,
    corrupt: corrupt.note,
  });
  await level.begin();
  return { store, credentials, tokens, quota, lastUse, unanswered };
}

/** Makes the operator's own token where it does not exist yet. */
async function bootstrapToken(office: TokenService, config: Settings): Promise<void> {
  if (config.GSQ_BOOTSTRAP_TOKEN === undefined) return;
  await office.bootstrap(config.GSQ_BOOTSTRAP_TOKEN, {
    tier: config.GSQ_BOOTSTRAP_TYPE,
    email: config.GSQ_BOOTSTRAP_EMAIL,
    expiresAt: 0,
    allowIps: [],
    allowDomains: [],
  });
}

/** Tells each report, and by game, server and lease what the prober's own line on it is. */
function recordedLog(log: Logger): ReportRecorderParts['onRecorded'] {
  return ({ leaseId, outcome }, before, { gameId, address, status, label }) =>
    log.debug(
      { game_id: gameId, server: address, lease_id: leaseId, outcome, from: before.status, status, label },
      'recorded',
    );
}

/** Starts the core. Its ops endpoint is there first, and says so while the store is read. */
export async function startCore(config: Settings, log: Logger, now: () => number): Promise<Running> {
  const starting = { metrics: new Registry(), ready: () => ({ ready: false, reason: 'starting' }) };
  const ops = await listenOps('GSQ_CORE_OPS_ADDR', config.GSQ_CORE_OPS_ADDR, opsHandler(starting));
  try {
    return await startParts(config, log, now, ops);
  } catch (error) {
    await ops.close();
    throw error;
  }
}

/** Puts the core together: the one place that knows every part. */
async function startParts(
  config: Settings,
  log: Logger,
  now: () => number,
  ops: OpsServer,
): Promise<Running> {
  const policy = checkSettings(config);
  const tls = internalTls(config);
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

  const storeDirectory = join(config.GSQ_DATA_DIR, 'leveldb');
  let keeper: StoreSupervisor | undefined;
  const level = await LevelDbStore.open(storeDirectory, error => keeper?.failed(error)).catch(
    (error: unknown) => {
      throw storeError(config.GSQ_DATA_DIR, error);
    },
  );
  const secret = keepInternalSecret(config);
  const probeIntervalMs = config.GSQ_PROBE_INTERVAL;
  const unproven = new UnconfirmedServers({
    ...UNCONFIRMED_LIMITS,
    inAll: config.GSQ_MAX_UNPROVEN,
    aToken: config.GSQ_MAX_UNPROVEN_PER_TOKEN,
  });
  const insertRates = new InsertRates(
    { aMinute: config.GSQ_INSERTS_PER_MINUTE, aDay: config.GSQ_INSERTS_PER_DAY },
    now,
  );
  const guard = new InsertGuard(insertRates, unproven);
  const corrupt = new CorruptEntries(log);
  const detector = new FailureDetector(config.GSQ_STALE_AFTER);
  const stored = await loadAll(level, config, now, unproven, detector, corrupt).catch((error: unknown) => {
    throw storeError(config.GSQ_DATA_DIR, error);
  });
  const { store, credentials, tokens, quota, lastUse, unanswered } = stored;
  keeper = new StoreSupervisor({
    level,
    directory: storeDirectory,
    minFreeBytes: config.GSQ_MIN_FREE_SPACE,
    compare: async () => [
      ...(await store.compare()),
      ...(await credentials.compare()),
      ...(await tokens.compare()),
    ],
    writeOwed: () => store.writeOwed(),
    log,
    onLost(error) {
      log.fatal({ err: error }, 'store: what was acknowledged is gone');
      process.exit(exitStatus.failed);
    },
  });
  await keeper.start();
  const office = new TokenService(tokens, now);
  await bootstrapToken(office, config).catch((error: unknown) => {
    if (!(error instanceof NoWrites)) throw error;
    log.error({ err: error }, 'the token of GSQ_BOOTSTRAP_TOKEN is not made; make room and restart the core');
  });

  const changes = new ServerChanges();
  const recorder = new ReportRecorder({
    store,
    changes,
    probeIntervalMs,
    detector,
    unprovenProbes: config.GSQ_UNPROVEN_PROBES,
    hasAccess: key => credentials.namesOf(key) !== undefined,
    onRecorded: log.isLevelEnabled('debug') ? recordedLog(log) : undefined,
    onUnanswered: (before, after) => changes.publish(unanswered.keep(before, after)),
  });
  const dispatcher = new Dispatcher({
    store,
    catalog,
    credentials,
    recorder,
    now,
    probeIntervalMs,
    onOutage(open) {
      const { ignored } = recorder;
      if (open)
        log.warn({ ignored }, "a prober's own line seems out: failed probes are ignored until replies come");
      else log.info({ ignored }, 'failed probes count again');
    },
  });
  const gate = new Authenticator(
    tokens,
    quota,
    lastUse,
    config.GSQ_BURST_LIMIT,
    now,
    config.GSQ_BURST_LIMIT_PER_ADDRESS,
  );
  const closing = new AbortController();
  // Every stream listens.
  setMaxListeners(0, closing.signal);
  const fetch = new ServerFetch({
    catalog,
    store,
    unanswered,
    changes,
    policy,
    resolver,
    guard,
    closing: closing.signal,
    onInserted: () => dispatcher.wake(),
  });
  const freshness = { staleAfterMs: config.GSQ_STALE_AFTER, probeIntervalMs };

  const defect = (error: unknown, method: string, origin: CallOrigin): void =>
    log.error({ ...origin, err: error, method }, 'defect');
  const journals = { public: new CallJournal(log), internal: new CallJournal(log) };
  const open = new Handlers(() => {}, defect, journals.public);
  const guarded = new Handlers(internalGuard(secret), defect, journals.internal);
  const proxied = config.GSQ_TRUST_PROXY > 0;
  const serverParts = { gate, fetch, changes, freshness, now, proxied, closing: closing.signal };

  const backup = () =>
    backupChunks({
      servers: () => store.records(),
      credentials,
      tokens: () => office.list(),
      quota,
      lastUse,
      tokenKey: () => readTokenKey(config.GSQ_DATA_DIR),
      now,
    });
  const health = new Health(['gsq.v1.GameService', 'gsq.v1.ServerService']);
  const internalHealth = new Health([
    'gsq.v1.GameService',
    'gsq.v1.ServerService',
    'gsq.v1.ProbeService',
    'gsq.v1.AdminService',
  ]);
  const publicServer = new PublicServer(config.GSQ_TRUST_PROXY === 0);
  publicServer.addService(gsqV1.GameService.service, gameService(catalog, open, now));
  publicServer.addService(serverServiceDefinition, serverService({ ...serverParts, trusted: false }, open));
  health.addTo(publicServer);
  addReflection(publicServer, PUBLIC_SERVICES);

  const internalServer = createInternalServer(new FailedHandshakes(log, now).note);
  internalServer.addService(gsqV1.GameService.service, gameService(catalog, guarded, now));
  internalServer.addService(
    serverServiceDefinition,
    serverService({ ...serverParts, trusted: true }, guarded),
  );
  internalServer.addService(
    probeServiceDefinition,
    probeService({ dispatcher, policy, log, closing: closing.signal }, guarded),
  );
  const data = new DataDirectory(config.GSQ_DATA_DIR);
  const liveTokens = (): number => office.list().filter(token => isLive(token, now())).length;
  const stats = new ServiceStats({
    store,
    dispatcher,
    unproven,
    data,
    journals: Object.values(journals),
    liveTokens,
    startedAt: now(),
  });
  internalServer.addService(
    gsqV1.AdminService.service,
    adminService(
      {
        backup,
        office,
        quota,
        lastUse,
        catalog,
        fetch,
        store,
        credentials,
        unanswered,
        stats,
        freshness,
        now,
      },
      guarded,
    ),
  );
  internalHealth.addTo(internalServer);

  const metrics = coreMetrics({
    store,
    maxServers: config.GSQ_MAX_SERVERS,
    level,
    data,
    dispatcher,
    recorder,
    catalog,
    unproven,
    unanswered,
    guard,
    fetch,
    liveTokens,
    journals,
    corrupt,
    keeper,
  });
  const internalEndpoint = await listen(
    internalServer,
    'GSQ_INTERNAL_ADDR',
    config.GSQ_INTERNAL_ADDR,
    tls && mutualTls(tls),
  );
  const publicEndpoint = await listen(publicServer, 'GSQ_GRPC_ADDR', config.GSQ_GRPC_ADDR);
  const ready = (): Readiness => {
    if (closing.signal.aborted) return { ready: false, reason: 'draining' };
    // A store that takes no writes answers fetches.
    return { ready: true };
  };
  ops.handle(
    opsHandler({ metrics, ready }, serverSeries(store, config.GSQ_SERVER_SERIES, { now, freshness })),
  );

  return {
    addresses: {
      GSQ_GRPC_ADDR: formatEndpoint(publicEndpoint),
      GSQ_INTERNAL_ADDR: formatEndpoint(internalEndpoint),
      GSQ_CORE_OPS_ADDR: formatEndpoint(ops.endpoint),
    },
    async drain() {
      health.stopServing();
      internalHealth.stopServing();
      closing.abort();
      await Promise.all([drain(publicServer), drain(internalServer)]);
      dispatcher.close();
      await keeper.close();
      quota.close();
      lastUse.close();
      // That the store cannot write was told already.
      await store.close().catch(() => {});
      await level.close();
      await ops.close();
    },
  };
}
