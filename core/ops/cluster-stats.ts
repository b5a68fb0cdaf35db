import type { GameCount__Output as GameCount } from '../../proto/generated/gsq/v1/GameCount.ts';
import type { GetPartStatsResponse__Output as PartStats } from '../../proto/generated/gsq/v1/GetPartStatsResponse.ts';
import type { GetStatsResponse__Output as CoreStats } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import { askPeer, type PeerConnections } from '../merge/ask-peer.ts';
import type { ServiceStatus } from '../rpc/service-status.ts';
import { byServers, MAX_GAMES, type ServiceStats } from './service-stats.ts';

/** Longest time to wait for the statistics of another core, ms. */
const TIMEOUT_MS = 3_000;

/** Options of `ClusterStats`. */
export interface ClusterStatsOptions {
  /** Statistics of this core. */
  stats: Pick<ServiceStats, 'readWhole'>;
  /**
   * Returns the health of this core: its probers, the lag of its schedule, whether a prober's network is down, and its
   * store.
   */
  status: () => ServiceStatus;
  peers: PeerConnections;
  /** Longest time to wait for the answer of another core, ms. Default: TIMEOUT_MS. */
  timeoutMs?: number;
}

/**
 * The status and the statistics of a cluster. Most numbers are sums over all cores that answer. If a core does not
 * answer, the store counts as not healthy, because a core that does not answer accepts no new servers.
 */
export class ClusterStats {
  readonly #options: ClusterStatsOptions;

  constructor(options: ClusterStatsOptions) {
    this.#options = options;
  }

  /** Reads the health of the cluster, for the gRPC method `GetStatus`. */
  async readStatus(): Promise<ServiceStatus> {
    const own = this.#options.status();
    const parts = await Promise.all(this.#askEach(true));
    return parts.map(part => part?.status ?? undefined).reduce<ServiceStatus>(joinStatus, own);
  }

  /** Reads the statistics of the cluster. `games`: maximum number of entries in the list of games. */
  async read(games: number): Promise<CoreStats> {
    const [own, ...parts] = await Promise.all([this.#options.stats.readWhole(), ...this.#askEach(false)]);
    const sum = parts.map(part => part?.stats ?? undefined).reduce<CoreStats>(joinStats, own);
    return { ...sum, games: [...sum.games].sort(byServers).slice(0, Math.min(games, MAX_GAMES)) };
  }

  /** Asks all other cores for their statistics. If a core does not answer, its promise resolves to undefined. */
  #askEach(statusOnly: boolean): Promise<PartStats | undefined>[] {
    const { peers, timeoutMs = TIMEOUT_MS } = this.#options;
    return peers.others.map(member =>
      askPeer<PartStats>(peers, member, timeoutMs, (client, ...rest) =>
        client.getPartStats({ statusOnly }, ...rest),
      ).catch(() => undefined),
    );
  }
}

/**
 * Adds the status of a core (`part`) to `sum`. Takes the higher number of probers instead of adding the two, because
 * each prober has a session with each core.
 */
function joinStatus(sum: ServiceStatus, part: ServiceStatus | undefined): ServiceStatus {
  if (!part) return { ...sum, storeHealthy: false };
  return {
    probers: Math.max(sum.probers, part.probers),
    scheduleLagSeconds: Math.max(sum.scheduleLagSeconds, part.scheduleLagSeconds),
    outage: sum.outage || part.outage,
    storeHealthy: sum.storeHealthy && part.storeHealthy,
    limited: sum.limited + part.limited,
  };
}

/** Fields of the statistics that are added up over all cores of a cluster. */
const SUMS = [
  ...([
    'tracked',
    'pending',
    'online',
    'offline',
    'leased',
    'unproven',
    'storeBytes',
    'diskFreeBytes',
  ] as const),
  ...(['fetches', 'fetchesRefused', 'fetchesInFlight', 'probes', 'probesOnline'] as const),
];

/**
 * Adds the statistics of a core (`part`) to `sum`. The number of tokens is not added, because all cores have the same
 * tokens.
 */
function joinStats(sum: CoreStats, part: CoreStats | undefined): CoreStats {
  if (!part) return { ...sum, storeHealthy: false };
  const joined: CoreStats = {
    ...sum,
    probers: Math.max(sum.probers, part.probers),
    scheduleLagSeconds: Math.max(sum.scheduleLagSeconds, part.scheduleLagSeconds),
    frozen: sum.frozen || part.frozen,
    storeHealthy: sum.storeHealthy && part.storeHealthy,
    labels: sum.labels.map(({ label, servers }) => ({
      label,
      servers: servers + (part.labels.find(other => other.label === label)?.servers ?? 0),
    })),
    games: sumGames(sum.games, part.games),
  };
  for (const field of SUMS) joined[field] += part[field];
  return joined;
}

function sumGames(some: readonly GameCount[], others: readonly GameCount[]): GameCount[] {
  const sums = new Map<string, number>();
  for (const { gameId, servers } of [...some, ...others]) sums.set(gameId, servers + (sums.get(gameId) ?? 0));
  return [...sums].map(([gameId, servers]) => ({ gameId, servers }));
}
