import { Counter, Gauge, type Registry } from 'prom-client';
import { PlainHistogram } from '../runtime/plain-histogram.ts';
import { processMetrics, ReadMetrics } from '../runtime/process-metrics.ts';
import type { InsertGuard } from './admission/insert-guard.ts';
import type { UnconfirmedServers } from './admission/unconfirmed-servers.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { DataDirectory } from './ops/data-directory.ts';
import type { CallJournal } from './rpc/call-journal.ts';
import type { Dispatcher } from './schedule/dispatcher.ts';
import type { ReportRecorder } from './schedule/report-recorder.ts';
import type { GivenUpServers } from './servers/given-up-servers.ts';
import type { ServerFetch } from './servers/server-fetch.ts';
import type { ServerStore } from './servers/server-store.ts';
import type { LevelDbStore } from './store/leveldb/leveldb-store.ts';
import type { StoreSupervisor } from './store/store-supervisor.ts';

const LAG_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const CALL_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10,
];
const WRITE_BUCKETS = [0.00025, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

export interface CoreMetricsParts {
  store: ServerStore;
  maxServers: number;
  level: LevelDbStore;
  data: DataDirectory;
  dispatcher: Dispatcher;
  recorder: ReportRecorder;
  catalog: Catalog;
  unproven: UnconfirmedServers;
  unanswered: GivenUpServers;
  guard: InsertGuard;
  fetch: ServerFetch;
  /** Stored entries that could not be read, of those nobody was promised. */
  corrupt: { readonly count: number };
  keeper: Pick<StoreSupervisor, 'writeErrors' | 'recoveries'>;
  /** Tokens neither revoked nor expired. */
  liveTokens: () => number;
  /** Of each port. */
  journals: Readonly<Record<'public' | 'internal', CallJournal>>;
}

/** What the core's ops endpoint shows; every figure is read when it is asked for. */
export function coreMetrics(parts: CoreMetricsParts): Registry {
  const registry = processMetrics();
  const read = new ReadMetrics(registry);
  serverMetrics(read, parts);
  probeMetrics(registry, read, parts);
  callMetrics(registry, parts);
  storeMetrics(registry, read, parts);
  return registry;
}

function serverMetrics(
  read: ReadMetrics,
  { store, maxServers, unproven, unanswered, guard, fetch, recorder, catalog, liveTokens }: CoreMetricsParts,
): void {
  read.gauges('gsq_servers', 'Tracked servers by status.', 'status', () => {
    const { pending, online, offline } = store.stats();
    return Object.entries({ pending, online, offline });
  });
  read.gauges('gsq_servers_labelled', 'Tracked servers by firewall label.', 'label', () =>
    Object.entries(store.census.label),
  );
  read.gauges(
    'gsq_servers_of_game',
    'Tracked servers by game of the catalog.',
    'game_id',
    () => store.census.games,
  );
  read.gauge('gsq_servers_limit', 'Servers that may be tracked (GSQ_MAX_SERVERS).', () => maxServers);
  read.gauge('gsq_servers_unproven', 'Tracked servers that never answered a probe.', () => unproven.size);
  read.gauge(
    'gsq_servers_unanswered',
    'Servers that never answered and are tracked no longer; fetches of them insert nothing.',
    () => unanswered.size,
  );
  read.counters(
    'gsq_inserts_refused_total',
    'Servers that were not inserted, by the limit they met.',
    'limit',
    () => {
      const { aMinute, aDay, aToken, anAddress, aNetwork, inAll } = guard.refusals;
      return Object.entries({
        token_minute: aMinute,
        token_day: aDay,
        unproven_token: aToken,
        unproven_address: anAddress,
        unproven_network: aNetwork,
        unproven: inAll,
      });
    },
  );
  read.counters(
    'gsq_invalid_servers_total',
    'Servers that fetches named and that are not valid, by reason.',
    'reason',
    () => Object.entries(fetch.invalid),
  );
  read.counter(
    'gsq_servers_forgotten_total',
    'Servers that were given up: never answered, or not for a month.',
    () => recorder.forgotten,
  );
  read.counters('gsq_status_changes_total', 'Servers that went online or offline.', 'status', () =>
    Object.entries(recorder.statusChanges),
  );
  read.gauge('gsq_tokens', 'Tokens neither revoked nor expired.', liveTokens);
  read.counter(
    'gsq_catalog_refresh_failures_total',
    'Refreshes of the catalog that failed; the last good catalog stayed.',
    () => catalog.refreshFailures,
  );
}

/** What the schedule and the reports of probes tell. */
export function probeMetrics(
  registry: Registry,
  read: ReadMetrics,
  { store, dispatcher, recorder }: Pick<CoreMetricsParts, 'store' | 'dispatcher' | 'recorder'>,
): void {
  read.gauge('gsq_leases', 'Probes given out and not reported yet.', () => store.stats().leased);
  read.gauge('gsq_probers', 'Probers in session.', () => dispatcher.probers);
  read.counters('gsq_reports_total', 'Reports of probes that were recorded, by outcome.', 'outcome', () =>
    [...dispatcher.reports].map(([outcome, count]) => [
      String(outcome).replace('PROBE_OUTCOME_', '').toLowerCase(),
      count,
    ]),
  );
  read.counter(
    'gsq_reports_dropped_total',
    'Reports that were dropped, because their lease had run out.',
    () => dispatcher.unleased,
  );
  const lags = new PlainHistogram({
    name: 'gsq_schedule_lag_seconds',
    help: 'How long after it was due a probe was given to a prober.',
    buckets: LAG_BUCKETS,
    registry,
  }).series();
  dispatcher.watchLag(seconds => lags.addSample(seconds));
  read.gauge(
    'gsq_schedule_frozen',
    "1 while failed probes are ignored, because a prober's own line seems to be out.",
    () => (dispatcher.outage ? 1 : 0),
  );
  read.counter(
    'gsq_probes_ignored_total',
    "Failed probes that were ignored, because the prober's own line seemed to be out.",
    () => recorder.ignored,
  );
}

function callMetrics(registry: Registry, { journals }: CoreMetricsParts): void {
  const registers = [registry];
  const ports = Object.entries(journals);
  new Counter({
    name: 'gsq_core_calls_total',
    help: 'Calls answered, by port, method and code: OK, CANCELLED or the code of the error. FetchCall: what travels in a FetchStream.',
    labelNames: ['port', 'method', 'code'],
    registers,
    collect() {
      this.reset();
      for (const [port, { methods }] of ports) {
        for (const { method, ended } of methods) {
          for (const [code, count] of ended) this.inc({ port, method, code }, count);
        }
      }
    },
  });
  new Gauge({
    name: 'gsq_core_calls_in_flight',
    help: 'Calls under way, by port and method; a stream is one.',
    labelNames: ['port', 'method'],
    registers,
    collect() {
      for (const [port, { methods }] of ports) {
        for (const { method, inFlight } of methods) this.set({ port, method }, inFlight);
      }
    },
  });
  const seconds = new PlainHistogram({
    name: 'gsq_core_call_seconds',
    help: 'Time calls took in the core, by port and method; without streams and calls that wait for a probe.',
    labelNames: ['port', 'method'],
    buckets: CALL_BUCKETS,
    registry,
  });
  for (const [port, journal] of ports) {
    journal.watch(method => {
      const own = seconds.series(port, method.method);
      method.onSeconds = took => own.addSample(took);
    });
  }
}

function storeMetrics(
  registry: Registry,
  read: ReadMetrics,
  { store, level, data, keeper, corrupt }: CoreMetricsParts,
): void {
  read.gauge(
    'gsq_store_writable',
    '1 while the store takes writes; 0 while inserts are refused and fetches are answered from memory.',
    () => (store.writable ? 1 : 0),
  );
  read.gauge(
    'gsq_store_bytes',
    'Size of all files of the data directory.',
    async () => (await data.usage()).used,
  );
  read.gauge(
    'gsq_store_disk_free_bytes',
    'Room left on the file system of the data directory.',
    async () => (await data.usage()).free,
  );
  read.gauge(
    'gsq_store_disk_size_bytes',
    'Size of the file system of the data directory.',
    async () => (await data.usage()).size,
  );
  const seconds = new PlainHistogram({
    name: 'gsq_store_write_seconds',
    help: 'Time a group of writes took; sync: whether it was made durable, as inserts and tokens are.',
    labelNames: ['sync'],
    buckets: WRITE_BUCKETS,
    registry,
  });
  const synced = seconds.series('true');
  const unsynced = seconds.series('false');
  let records = 0;
  level.watchWrites(write => {
    (write.sync ? synced : unsynced).addSample(write.seconds);
    records += write.operations;
  });
  read.counter('gsq_store_written_records_total', 'Records written or deleted.', () => records);
  read.counter('gsq_store_write_errors_total', 'Writes of the store that failed.', () => keeper.writeErrors);
  read.counter(
    'gsq_store_recoveries_total',
    'How often the store was opened anew after a write failed.',
    () => keeper.recoveries,
  );
  read.counter(
    'gsq_store_inserts_refused_total',
    'Servers that were not inserted because the store took no writes.',
    () => store.refused,
  );
  read.counter(
    'gsq_store_corrupt_entries_total',
    'Stored usage of tokens and servers given up that did not match their checksum at the start and were forgotten.',
    () => corrupt.count,
  );
}
