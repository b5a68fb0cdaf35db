import type { GameCount__Output as GameCount } from '../../proto/generated/gsq/v1/GameCount.ts';
import type { GetStatsResponse__Output as CoreStats } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import { packageVersion } from '../../runtime/version.ts';
import type { UnconfirmedServers } from '../admission/unconfirmed-servers.ts';
import { labelNames, timestamp } from '../render/server-results.ts';
import type { CallJournal } from '../rpc/call-journal.ts';
import type { ServiceStatus } from '../rpc/service-status.ts';
import type { Dispatcher } from '../schedule/dispatcher.ts';
import { labels } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { DataDirectory } from './data-directory.ts';

/** Sources of the values in the statistics that `gsq stats` shows. */
export interface ServiceStatsDependencies {
  store: ServerStore;
  dispatcher: Dispatcher;
  unconfirmed: Pick<UnconfirmedServers, 'size'>;
  data: DataDirectory;
  /** One `CallJournal` for each gRPC port of this core. Each journal counts the calls to its port. */
  journals: readonly CallJournal[];
  liveTokens: () => number;
  startedAt: number;
}

/**
 * Names of the gRPC calls that the statistics count as fetches. `FetchCall` stands for one request in a FetchStream.
 */
const FETCHES = ['FetchCall', 'FetchServers', 'FetchServersJson'];
/** Maximum number of games in the statistics that `gsq stats` shows. */
export const MAX_GAMES = 100;

/**
 * Returns the part of the `GetStatus` reply that shows whether the service works well, such as the number of probers.
 */
export function serviceStatus(
  store: Pick<ServerStore, 'writable' | 'counters'>,
  dispatcher: Pick<Dispatcher, 'probers' | 'recentLagSeconds' | 'outage'>,
): ServiceStatus {
  const { label } = store.counters;
  return {
    probers: dispatcher.probers,
    scheduleLagSeconds: dispatcher.recentLagSeconds,
    outage: dispatcher.outage,
    storeHealthy: store.writable,
    limited: label.rate_limited + label.challenge_only + label.filtered,
  };
}

/** Reads the statistics that `gsq stats` shows. */
export class ServiceStats {
  readonly #dependencies: ServiceStatsDependencies;

  constructor(dependencies: ServiceStatsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Reads the statistics. They contain a list of the games with the most servers, in descending order. `games`: maximum
   * number of games in this list.
   */
  async read(games: number): Promise<CoreStats> {
    const stats = await this.readWhole();
    return { ...stats, games: stats.games.slice(0, Math.min(games, MAX_GAMES)) };
  }

  /** Reads the statistics of this core. They list all games that have servers. */
  async readWhole(): Promise<CoreStats> {
    const { store, dispatcher, unconfirmed, data, liveTokens, startedAt } = this.#dependencies;
    const stats = store.stats();
    const usage = await data.usage();
    const { reports } = dispatcher;
    return {
      tracked: stats.tracked,
      pending: stats.pending,
      online: stats.online,
      offline: stats.offline,
      leased: stats.leased,
      probers: dispatcher.probers,
      tokens: liveTokens(),
      version: packageVersion(),
      startedAt: timestamp(startedAt),
      ...this.#fetches(),
      probes: [...reports.values()].reduce((sum, count) => sum + count, 0),
      probesOnline: reports.get('PROBE_OUTCOME_ONLINE') ?? 0,
      scheduleLagSeconds: dispatcher.recentLagSeconds,
      frozen: dispatcher.outage,
      unproven: unconfirmed.size,
      storeHealthy: store.writable,
      storeBytes: usage.used || 0,
      diskFreeBytes: usage.free || 0,
      labels: labels
        .filter(label => label !== 'none')
        .map(label => ({ label: labelNames[label], servers: store.counters.label[label] })),
      games: [...store.counters.games].map(([gameId, servers]) => ({ gameId, servers })).sort(byServers),
    };
  }

  #fetches(): Pick<CoreStats, 'fetches' | 'fetchesRefused' | 'fetchesInFlight'> {
    let fetches = 0;
    let fetchesRefused = 0;
    let fetchesInFlight = 0;
    for (const { methods } of this.#dependencies.journals) {
      for (const { method, ended, inFlight } of methods) {
        if (!FETCHES.includes(method)) continue;
        fetchesInFlight += inFlight;
        for (const [code, count] of ended) {
          if (code === 'OK') fetches += count;
          else fetchesRefused += count;
        }
      }
    }
    return { fetches, fetchesRefused, fetchesInFlight };
  }
}

/** Sorts games by their number of servers, in descending order, and games with equal numbers by id. */
export function byServers(a: GameCount, b: GameCount): number {
  return b.servers - a.servers || (a.gameId < b.gameId ? -1 : 1);
}
