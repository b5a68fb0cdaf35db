import { gsqV1 } from '../../proto/descriptors.ts';
import type { GetStatsResponse__Output } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import { isoTime } from '../console/timestamp.ts';
import type { CallCore } from './core-call.ts';

/** The statistics of a service at one moment, in the form that `gsq stats --json` prints. */
export type ServiceStats = ReturnType<typeof statsJson>;

const UNIT_BYTES = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 };

/**
 * Reads the statistics of a core. They include at most `games` games. Rejects with CommandError if the core does not
 * return them.
 */
export async function readStats(call: CallCore, games: number): Promise<ServiceStats> {
  return statsJson(await call(gsqV1.AdminService.service.GetStats, { games }));
}

function statsJson(stats: GetStatsResponse__Output) {
  return {
    version: stats.version,
    started_at: isoTime(stats.startedAt),
    servers: {
      tracked: stats.tracked,
      online: stats.online,
      offline: stats.offline,
      pending: stats.pending,
      unproven: stats.unproven,
    },
    labels: Object.fromEntries(
      stats.labels.map(({ label, servers }) => [
        String(label).replace('FIREWALL_LABEL_', '').toLowerCase(),
        servers,
      ]),
    ),
    games: stats.games.map(({ gameId, servers }) => ({ game_id: gameId, servers })),
    fetches: {
      answered: stats.fetches,
      refused: stats.fetchesRefused,
      in_flight: stats.fetchesInFlight,
    },
    probes: {
      probers: stats.probers,
      recorded: stats.probes,
      online: stats.probesOnline,
      in_flight: stats.leased,
      lag_seconds: stats.scheduleLagSeconds,
      frozen: stats.frozen,
    },
    store: {
      healthy: stats.storeHealthy,
      bytes: stats.storeBytes,
      disk_free_bytes: stats.diskFreeBytes,
    },
    tokens: stats.tokens,
  };
}

/** Formats a number of bytes with a readable unit, such as `1.5 MiB`. */
export function inBytes(bytes: number): string {
  for (const [unit, size] of Object.entries(UNIT_BYTES)) {
    if (bytes >= size) return `${(bytes / size).toFixed(1)} ${unit}`;
  }
  return `${bytes} B`;
}

/**
 * Returns a text with the number of connected probers. If the internet connection seems to be down, gsq ignores failed
 * probes, and the text says so.
 */
export function proberState({ probers, frozen }: ServiceStats['probes']): string {
  if (probers === 0) return 'none: no server is probed';
  return frozen ? `${probers}, internet connection seems down: failed probes are ignored` : String(probers);
}

/**
 * Returns a string with the size of the store and the free space on its disk. If the store accepts no writes, the
 * string says so.
 */
export function storeState({ healthy, bytes, disk_free_bytes }: ServiceStats['store']): string {
  const room = `${inBytes(bytes)}, ${inBytes(disk_free_bytes)} free on its disk`;
  return healthy ? room : `accepts no writes; ${room}`;
}
