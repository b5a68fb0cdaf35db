import { fallbackMessages } from '../../core/render/fallback-message.ts';
import type { ServerRecord } from '../../core/servers/server-record.ts';

/**
 * Simple functions that compute which status, reason and data age an answer must show for a server. The test
 * fetch-fast-path.test.ts compares the answers of the core with these results.
 */

const MINUTE = 60_000;

/** Returns the message that an answer shows to users if gsq has no game data of a server. */
export function fallback({ reason }: ServerRecord): string {
  return fallbackMessages[reason];
}

/** Reasons why the prober could not query a server. They do not show whether the server is online. */
const notQueryable = [
  'unresolvable_host',
  'blocked_address',
  'needs_credentials',
  'needs_option',
  'directory_unavailable',
  'directory_refused',
  'paced',
  'prober_unavailable',
];

/** True if the last probe could not query the server, for example because the host name did not resolve. */
function isUnknown({ lastProbeAt, lastOnlineAt, reason }: ServerRecord): boolean {
  return lastProbeAt > lastOnlineAt && notQueryable.includes(reason);
}

/**
 * Returns the status that an answer must show at the time `now`, and the reason for the status. The reason is empty if
 * the status is `online`.
 */
export function verdictOn(record: ServerRecord, now: number): { status: string; reason: string } {
  const { status, reason } = record;
  const unknown = isUnknown(record);
  if (status === 'offline' && unknown) return { status: 'pending', reason };
  if (status !== 'online') return { status, reason };
  if (!staleOf(record, now)) return { status, reason: '' };
  return { status: 'pending', reason: unknown ? reason : 'prober_unavailable' };
}

/** Returns the `_stale` object of a REST answer at the time `now`. Returns undefined if the data is not stale. */
export function staleOf(record: ServerRecord, now: number) {
  if (record.lastOnlineAt === 0) return undefined;
  const inDoubt = record.lastProbeAt > record.lastOnlineAt;
  const threshold = Math.max(600_000, 3 * (record.status === 'online' ? record.intervalMs : MINUTE));
  const age = now - record.lastOnlineAt;
  if (age <= threshold) return undefined;
  return {
    reason:
      record.status === 'offline' && !isUnknown(record)
        ? 'offline'
        : inDoubt
          ? 'unknowable'
          : 'probe_delayed',
    age_seconds: Math.floor(age / 1000),
    threshold_seconds: threshold / 1000,
    last_success_at: new Date(record.lastOnlineAt).toISOString(),
  };
}
