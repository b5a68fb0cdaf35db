import { setMaxListeners } from 'node:events';
import { limitKeyOf } from '../net/network.ts';
import { Resolver } from '../net/resolver.ts';
import type { TargetPolicy } from '../net/targets.ts';
import { coreSecurity } from '../proto/cluster/core-security.ts';
import { AccessLog } from '../runtime/access-log.ts';
import { internalTls } from '../runtime/internal-port.ts';
import type { Logger } from '../runtime/log.ts';
import type { OwnCharges } from './access/own-charges.ts';
import { InsertGuard } from './admission/insert-guard.ts';
import { InsertRates } from './admission/insert-rates.ts';
import { UNCONFIRMED_LIMITS, UnconfirmedServers } from './admission/unconfirmed-servers.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { HookFeed } from './cluster/hook-feed.ts';
import type { CoreConfig } from './core-settings.ts';
import { FailureDetector } from './detector/failure-detector.ts';
import { ChangeFeed } from './feed/change-feed.ts';
import { type FeedSource, OwnFeedSource } from './feed/feed-source.ts';
import { HistoryReader, type StoredHistory } from './history/history-reader.ts';
import { longestHoldMs } from './history/longest-hold.ts';
import { type Access, openAccess } from './open-access.ts';
import { openAccounts } from './open-accounts.ts';
import { openCatalog } from './open-catalog.ts';
import { type Cluster, type OpenClusterDependencies, openCluster } from './open-cluster.ts';
import { openSchedule, type Schedule } from './open-schedule.ts';
import { openSearch } from './open-search.ts';
import {
  endProcess,
  type MemberOptions,
  type OpenedStore,
  type OpenStoreDependencies,
  openStore,
} from './open-store.ts';
import { createWebhooks } from './open-webhooks.ts';
import { ClusterStats } from './ops/cluster-stats.ts';
import { DataDirectory } from './ops/data-directory.ts';
import { ServiceStats, serviceStatus } from './ops/service-stats.ts';
import { CallJournal } from './rpc/call-journal.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { FreshnessRules } from './servers/freshness.ts';
import { ServerChanges } from './servers/server-changes.ts';
import { ServerFetch } from './servers/server-fetch.ts';
import { ServerRecords } from './servers/server-records.ts';
import { historyDirectory } from './store/history/history.ts';
import type { WebhookEngine } from './webhooks/webhook-engine.ts';

/** The stores and services of the core. The gRPC ports of the core use them to answer calls. */
export interface CoreServices extends OpenedStore, Access, Schedule {
  policy: TargetPolicy;
  catalog: Catalog;
  unconfirmed: UnconfirmedServers;
  guard: InsertGuard;
  changes: ServerChanges;
  feed: ChangeFeed;
  /**
   * Source of the changes of servers, for change streams and webhooks. In a cluster, it reports the changes of the
   * servers of all cores.
   */
  source: FeedSource;
  search: SearchIndex;
  hooks: WebhookEngine;
  /**
   * What this core needs to work with the other cores that share its store. Undefined for the embedded store, which
   * only one core can use.
   */
  cluster: Cluster | undefined;
  fetch: ServerFetch;
  /** Reads the records of tracked servers by key. */
  records: ServerRecords;
  freshness: FreshnessRules;
  data: DataDirectory;
  historyReader: HistoryReader;
  /** Disk usage of the history. Undefined if the storage engine stores the history. */
  historyData: DataDirectory | undefined;
  /** Reads the statistics of this core that `gsq stats` shows. */
  stats: ServiceStats;
  /** Statistics of all cores; undefined if this core is not in a cluster. */
  clusterStats: ClusterStats | undefined;
  /** Counters of the calls on each port. */
  journals: Readonly<Record<'public' | 'internal', CallJournal>>;
  /** Log of the calls on each port. */
  accessLogs: Readonly<Record<'public' | 'internal', AccessLog>>;
  /** Controller that is aborted when the core begins to drain. */
  closing: AbortController;
}

/** Dependencies of `openServices`. */
export interface OpenServicesDependencies {
  policy: TargetPolicy;
  config: CoreConfig;
  log: Logger;
  now: () => number;
  /** What this core needs to join a cluster. Undefined for the embedded store, which only one core can use. */
  member: MemberOptions | undefined;
}

/**
 * Opens everything that the gRPC ports of the core need to answer calls. Rejects with ConfigError if a setting is
 * wrong, or if the catalog or the store cannot be loaded. In a cluster, this core has no servers until `Cluster.start`.
 */
export async function openServices(dependencies: OpenServicesDependencies): Promise<CoreServices> {
  const { policy, config, log, now, member } = dependencies;
  const catalog = await openCatalog(config, log, now);
  const resolver = new Resolver(config.GSQ_DNS_SERVERS, now);
  const detector = new FailureDetector(config.GSQ_STALE_AFTER);
  const { unconfirmed, guard } = openGuard(config, now);
  const onRemove = (key: string): void => detector.forget(key);
  const freshness = { staleAfterMs: config.GSQ_STALE_AFTER, probeIntervalMs: config.GSQ_PROBE_INTERVAL };
  const feed = new ChangeFeed(freshness);
  let hooks: WebhookEngine | undefined;
  const webhooks = webhookWrites(() => hooks);
  const stored = await openStore({
    ...{ config, log, now, unconfirmed, feed, webhooks, member, onRemove },
    monotonic: () => performance.now(),
  });
  const access = openAccess(stored, config, now);
  const changes = new ServerChanges();
  const history = stored.history.store;
  const schedule = openSchedule(stored, catalog, changes, feed, detector, config, log, now, history);
  const closing = closingSignal();
  const search = openSearch(stored, feed, log);
  const shared = { stored, schedule, search, feed, changes, detector, guard, policy, resolver, freshness };
  const openAccountData = (hookFeed?: HookFeed): Promise<void> =>
    openAccounts({ ...access, hooks: opened(hooks), feed, hookFeed, config, log });
  const cluster = joinCluster({ ...shared, own: member?.own, closing: closing.signal, now }, config, log, {
    onLead: () => openAccountData(cluster?.hookFeed),
    onUnlead: () => hooks?.close(),
  });
  hooks = createWebhooks(stored, catalog, freshness, log, now, cluster?.hookFeed);
  if (!cluster) await openAccountData();
  const { store, givenUp } = stored;
  const { dispatcher } = schedule;
  const data = new DataDirectory(config.GSQ_DATA_DIR);
  const logs = openLogs(config, log);
  const stats = new ServiceStats({
    ...{ store, dispatcher, unconfirmed, data, journals: Object.values(logs.journals), startedAt: now() },
    liveTokens: () => access.tokenService.countLive(),
  });
  return {
    ...{ ...stored, ...access, ...schedule, policy, catalog, unconfirmed, guard, changes, feed, search },
    ...{ hooks, cluster, freshness, closing },
    source: cluster?.feed ?? new OwnFeedSource(feed, store, changes),
    fetch: new ServerFetch({
      ...{ catalog, store, givenUp, changes, policy, resolver, guard, closing: closing.signal },
      cluster: cluster?.servers,
      onInserted: () => dispatcher.wake(),
    }),
    records: cluster?.records ?? new ServerRecords(stored),
    ...{ ...logs, data, stats },
    clusterStats:
      cluster &&
      new ClusterStats({ stats, status: () => serviceStatus(store, dispatcher), peers: cluster.peers }),
    historyReader: openHistoryReader(history, config, now),
    historyData: cluster ? undefined : new DataDirectory(historyDirectory(config.GSQ_DATA_DIR)),
  };
}

/** Returns the webhooks. Throws if they are not created yet. */
function opened(hooks: WebhookEngine | undefined): WebhookEngine {
  if (!hooks) throw new Error('the webhooks are not created yet');
  return hooks;
}

type SharedParts = Omit<
  OpenClusterDependencies,
  'ownership' | 'own' | 'security' | 'onUnusable' | 'onLead' | 'onUnlead'
>;

/** Creates what this core needs as a member of a cluster. Returns undefined if this core is not in a cluster. */
function joinCluster(
  parts: SharedParts & { own: OwnCharges | undefined },
  config: CoreConfig,
  log: Logger,
  events: Pick<OpenClusterDependencies, 'onLead' | 'onUnlead'>,
): Cluster | undefined {
  const { own } = parts;
  const { ownership } = parts.stored;
  if (!ownership || !own) return undefined;
  const tls = internalTls(config);
  return openCluster({
    ...{ ...parts, ...events, own, ownership },
    security: coreSecurity({ host: config.GSQ_INTERNAL_ADDR.host, tls }),
    onUnusable: error => endProcess(log, error, 'store: this core cannot use the tokens of the cluster'),
  });
}

/**
 * Returns the functions with which `StoreSupervisor` repairs the stored webhooks after failed writes. The store is
 * opened before the webhooks are created. Therefore the functions call `hooks` to get the webhooks. `hooks` returns
 * undefined until the webhooks exist.
 */
function webhookWrites(hooks: () => WebhookEngine | undefined): OpenStoreDependencies['webhooks'] {
  return {
    compare: async () => (await hooks()?.compare()) ?? [],
    writeDirty: async () => hooks()?.writeDirty(),
  };
}

/** Creates the limits on the insertion of servers, and the registry of inserted servers that have never answered. */
function openGuard(config: CoreConfig, now: () => number): Pick<CoreServices, 'unconfirmed' | 'guard'> {
  const unconfirmed = new UnconfirmedServers({
    ...UNCONFIRMED_LIMITS,
    inAll: config.GSQ_MAX_UNPROVEN,
    aToken: config.GSQ_MAX_UNPROVEN_PER_TOKEN,
  });
  const rates = new InsertRates(
    { aMinute: config.GSQ_INSERTS_PER_MINUTE, aDay: config.GSQ_INSERTS_PER_DAY },
    now,
  );
  return { unconfirmed, guard: new InsertGuard(rates, unconfirmed) };
}

function openHistoryReader(store: StoredHistory, config: CoreConfig, now: () => number): HistoryReader {
  const retention = { samplesMs: config.GSQ_HISTORY_MINUTES, quartersMs: config.GSQ_HISTORY_QUARTERS };
  return new HistoryReader({
    store,
    retention,
    longestHoldMs: longestHoldMs(config.GSQ_PROBE_INTERVAL),
    now,
  });
}

/** Returns the AbortController that the core aborts when it begins to drain. */
function closingSignal(): AbortController {
  const closing = new AbortController();
  // Turns off the limit for listeners of this signal. Each open stream adds one listener, and Node would print a
  // warning for more than ten.
  setMaxListeners(0, closing.signal);
  return closing;
}

function openLogs(config: CoreConfig, log: Logger): Pick<CoreServices, 'accessLogs' | 'journals'> {
  const accessLogs = {
    public: new AccessLog(log, config.GSQ_LOG_SAMPLE, limitKeyOf),
    // The internal port logs no successful calls, because gateways log the successful requests of their callers.
    internal: new AccessLog(log, 0, limitKeyOf),
  };
  const journals = {
    public: new CallJournal(accessLogs.public),
    internal: new CallJournal(accessLogs.internal),
  };
  return { accessLogs, journals };
}
