import type { ReadMetrics } from '../../runtime/process-metrics.ts';
import type { TokenService } from '../access/token-service.ts';
import type { InsertGuard } from '../admission/insert-guard.ts';
import type { UnconfirmedServers } from '../admission/unconfirmed-servers.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ReportRecorder } from '../schedule/report-recorder.ts';
import type { GivenUpServers } from '../servers/given-up-servers.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import type { ServerStore } from '../servers/server-store.ts';

/** Sources of the values in the server metrics. */
export interface ServerMetricsDependencies {
  store: ServerStore;
  catalog: Catalog;
  unconfirmed: UnconfirmedServers;
  givenUp: GivenUpServers;
  guard: InsertGuard;
  fetch: ServerFetch;
  recorder: ReportRecorder;
  tokenService: TokenService;
}

/** Adds the metrics of tracked servers, inserts, tokens and the catalog. `maxServers`: value of GSQ_MAX_SERVERS. */
export function serverMetrics(
  read: ReadMetrics,
  dependencies: ServerMetricsDependencies,
  maxServers: number,
): void {
  trackedMetrics(read, dependencies, maxServers);
  insertMetrics(read, dependencies);
  const { catalog, recorder, tokenService } = dependencies;
  read.counter(
    'gsq_servers_forgotten_total',
    'Servers that gsq gave up: they never answered, or not for a month.',
    () => recorder.forgotten,
  );
  read.counters('gsq_status_changes_total', 'Changes of servers to online or to offline.', 'status', () =>
    Object.entries(recorder.statusChanges),
  );
  read.gauge('gsq_tokens', 'Tokens that are neither revoked nor expired.', () => tokenService.countLive());
  read.counter(
    'gsq_catalog_refresh_failures_total',
    'Failed refreshes of the catalog. The last valid catalog stays in use.',
    () => catalog.refreshFailures,
  );
}

function trackedMetrics(
  read: ReadMetrics,
  { store, unconfirmed, givenUp }: ServerMetricsDependencies,
  maxServers: number,
): void {
  read.gauges('gsq_servers', 'Tracked servers by status.', 'status', () => {
    const { pending, online, offline } = store.stats();
    return Object.entries({ pending, online, offline });
  });
  read.gauges('gsq_servers_labelled', 'Tracked servers by firewall label.', 'label', () =>
    Object.entries(store.counters.label),
  );
  read.gauges(
    'gsq_servers_of_game',
    'Tracked servers by game of the catalog.',
    'game_id',
    () => store.counters.games,
  );
  read.gauge('gsq_servers_limit', 'Maximum number of tracked servers (GSQ_MAX_SERVERS).', () => maxServers);
  read.gauge('gsq_servers_unproven', 'Tracked servers that never answered a probe.', () => unconfirmed.size);
  read.gauge(
    'gsq_servers_unanswered',
    'Given-up servers: they never answered and are no longer tracked. Fetches do not insert them again.',
    () => givenUp.size,
  );
}

function insertMetrics(read: ReadMetrics, { guard, fetch }: ServerMetricsDependencies): void {
  read.counters(
    'gsq_inserts_refused_total',
    'Servers that were not inserted because a limit was reached, by limit.',
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
    'Invalid servers in the requests of fetches, by reason.',
    'reason',
    () => Object.entries(fetch.invalid),
  );
}
