import { setMaxListeners } from 'node:events';
import { limitKeyOf } from '../net/network.ts';
import { Resolver } from '../net/resolver.ts';
import type { TargetPolicy } from '../net/targets.ts';
import { AccessLog } from '../runtime/access-log.ts';
import type { Logger } from '../runtime/log.ts';
import { InsertGuard } from './admission/insert-guard.ts';
import { InsertRates } from './admission/insert-rates.ts';
import { UNCONFIRMED_LIMITS, UnconfirmedServers } from './admission/unconfirmed-servers.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { CoreConfig } from './core-settings.ts';
import { FailureDetector } from './detector/failure-detector.ts';
import { ChangeFeed } from './feed/change-feed.ts';
import { type FeedSource, OwnFeedSource } from './feed/feed-source.ts';
import { HistoryReader } from './history/history-reader.ts';
import { longestHoldMs } from './history/longest-hold.ts';
import { type Access, openAccess } from './open-access.ts';
import { openAccounts } from './open-accounts.ts';
import { openCatalog } from './open-catalog.ts';
import { openSchedule, type Schedule } from './open-schedule.ts';
import { openSearch } from './open-search.ts';
import { type OpenedStore, type OpenStoreDependencies, openStore } from './open-store.ts';
import { createWebhooks } from './open-webhooks.ts';
import { DataDirectory } from './ops/data-directory.ts';
import { CallJournal } from './rpc/call-journal.ts';
import type { LeadAccess } from './rpc/lead-proxy.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { FreshnessRules } from './servers/freshness.ts';
import { ServerChanges } from './servers/server-changes.ts';
import { ServerFetch } from './servers/server-fetch.ts';
import { ServerRecords } from './servers/server-records.ts';
import { historyDirectory } from './store/history/history.ts';
import type { WebhookEngine } from './webhooks/webhook-engine.ts';

/** All data and services that the ports of the core need. */
export interface CoreServices extends OpenedStore, Access, Schedule {
  policy: TargetPolicy;
  catalog: Catalog;
  unconfirmed: UnconfirmedServers;
  guard: InsertGuard;
  changes: ServerChanges;
  feed: ChangeFeed;
  /** The servers that streams of changes and webhooks follow. */
  source: FeedSource;
  search: SearchIndex;
  hooks: WebhookEngine;
  /** How to reach the core that owns the tokens and the webhooks; undefined if this core is no member of a cluster. */
  leadAccess: LeadAccess | undefined;
  fetch: ServerFetch;
  /** The records of tracked servers, by key. */
  records: ServerRecords;
  freshness: FreshnessRules;
  data: DataDirectory;
  historyReader: HistoryReader;
  /** Disk usage of the history. */
  historyData: DataDirectory;
  /** Counters of the calls on each port. */
  journals: Readonly<Record<'public' | 'internal', CallJournal>>;
  /** Log of the calls on each port. */
  accessLogs: Readonly<Record<'public' | 'internal', AccessLog>>;
  /** Controller that is aborted when the core begins to drain. */
  closing: AbortController;
}

/**
 * Opens everything that the ports of the core need: catalog, store, authenticator, dispatcher and fetches. Rejects with
 * ConfigError if a setting is wrong, or if the catalog or the store cannot be loaded. `onStandby` is called with the id
 * of the owner if a different core owns the store; the promise then stays pending until this core is the owner.
 */
export async function openServices(
  policy: TargetPolicy,
  config: CoreConfig,
  log: Logger,
  now: () => number,
  onStandby: (owner: string) => void,
): Promise<CoreServices> {
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
    ...{ config, log, now, unconfirmed, feed, webhooks, onRemove, onStandby },
    monotonic: () => performance.now(),
  });
  const tokenAccess = openAccess(stored, config, now);
  hooks = createWebhooks(stored, catalog, freshness, log, now, undefined);
  await openAccounts({ ...tokenAccess, hooks, feed, hookFeed: undefined, config, log });
  const changes = new ServerChanges();
  const schedule = openSchedule(
    stored,
    catalog,
    changes,
    feed,
    detector,
    config,
    log,
    now,
    stored.history.store,
  );
  const closing = closingSignal();
  const fetch = new ServerFetch({
    catalog,
    store: stored.store,
    givenUp: stored.givenUp,
    changes,
    policy,
    resolver,
    guard,
    closing: closing.signal,
    onInserted: () => schedule.dispatcher.wake(),
  });
  return {
    ...stored,
    ...tokenAccess,
    ...schedule,
    policy,
    catalog,
    ...{ unconfirmed, guard },
    changes,
    feed,
    source: new OwnFeedSource(feed, stored.store, changes),
    search: openSearch(stored, feed, log),
    hooks,
    leadAccess: undefined,
    fetch,
    records: new ServerRecords(stored),
    freshness,
    data: new DataDirectory(config.GSQ_DATA_DIR),
    historyReader: openHistoryReader(stored, config, now),
    historyData: new DataDirectory(historyDirectory(config.GSQ_DATA_DIR)),
    ...openLogs(config, log),
    closing,
  };
}

/** Makes the supervisor of the store repeat the refused writes of the webhooks, which are created after the store. */
function webhookWrites(hooks: () => WebhookEngine | undefined): OpenStoreDependencies['webhooks'] {
  return {
    compare: async () => (await hooks()?.compare()) ?? [],
    writeDirty: async () => hooks()?.writeDirty(),
  };
}

/** Creates the limits on inserts, and the registry of servers that never answered. */
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

function openHistoryReader({ history }: OpenedStore, config: CoreConfig, now: () => number): HistoryReader {
  const retention = { samplesMs: config.GSQ_HISTORY_MINUTES, quartersMs: config.GSQ_HISTORY_QUARTERS };
  return new HistoryReader({
    store: history.store,
    retention,
    longestHoldMs: longestHoldMs(config.GSQ_PROBE_INTERVAL),
    now,
  });
}

/** Returns the controller that is aborted when the core begins to drain. */
function closingSignal(): AbortController {
  const closing = new AbortController();
  // Every open stream adds a listener to this signal. The limit of listeners is turned off, because Node would print a
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
