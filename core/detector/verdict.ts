import type { ServerRecord } from '../servers/server-record.ts';
import { THRESHOLD } from './evidence.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { Run, SilentHost } from './silence.ts';
import type { Uplink } from './uplink.ts';

/**
 * Minimum number of consecutive unanswered probes for the verdict offline. Source: the API contract (CONTRACT, section
 * `_updater`).
 */
export const LEAST_LOOKS = 2;
/**
 * A server can get the verdict offline only after a minimum time without replies. The server is probed in quick
 * succession around the end of this time, so that a server that only paused can still answer. The quick probes begin
 * DECISIVE_MS (ms) before the end of the minimum time, and stop DECISIVE_MS after it.
 *
 * LEAST_LATE: minimum number of unanswered probes since the begin of the quick probes for the verdict offline.
 */
export const DECISIVE_MS = 6_000;
const LEAST_LATE = 2;
/**
 * If a whole host is silent, less evidence is needed for the verdict that one of its servers is offline: OWN_SHARE of
 * the normal THRESHOLD. At least LEAST_OTHERS other servers of the host must be silent too, because the silence of
 * fewer servers could be a coincidence.
 */
const LEAST_OTHERS = 8;
const OWN_SHARE = 1 / 3;
/**
 * A host counts as silent if none of its servers has answered for this long, ms. One silent server is not enough while
 * other servers of the host answer.
 */
const MUTE_MS = 10_000;
/**
 * Safety margin, ms. A server that does not answer may keep its status only for a limited time (`holdMs`). `isOffline`
 * gives the verdict offline MARGIN_MS before this time is over.
 */
const MARGIN_MS = 20_000;

const NOBODY: readonly string[] = [];

/**
 * True if a server that does not answer gets the verdict offline. There are two possible reasons. The evidence that the
 * server is gone is sufficient. Or the server has kept its status for the longest allowed time.
 *
 * - `leastMs`: minimum time without replies before the verdict offline, ms.
 * - `holdMs`: longest time for which a silent server keeps its status, ms. For a server with long probe intervals, the
 *   time is three intervals instead.
 */
export function isOffline(
  uplink: Uplink,
  { network }: NetworkKeys,
  server: ServerRecord,
  run: Run,
  leastMs: number,
  holdMs: number,
  now: number,
): boolean {
  if (run.looks < LEAST_LOOKS) return false;
  const { silence, behindChallenge } = run;
  for (const { since, nats, late } of [silence, behindChallenge])
    if (now - since >= leastMs && nats >= THRESHOLD && late >= LEAST_LATE) return true;
  if (isOfflineWithHost(server, run, leastMs, now)) return true;
  const hold = Math.max(holdMs, 3 * server.intervalMs) - MARGIN_MS;
  const heldSince = Math.max(run.heldSince, uplink.listeningSince);
  return (
    server.lastOnlineAt !== 0 &&
    now - heldSince >= hold &&
    now - run.since >= leastMs &&
    uplink.isGoodFor(network, now)
  );
}

/**
 * True if a server gets the verdict offline because its whole host is silent. Three conditions must be met:
 *
 * - The host has been silent for at least `leastMs` (ms), and at least LEAST_OTHERS other servers of the host are
 *   silent.
 * - The evidence that the server itself is gone is at least OWN_SHARE times THRESHOLD.
 * - The evidence that the other silent servers are gone is at least THRESHOLD in total.
 */
function isOfflineWithHost(server: ServerRecord, run: Run, leastMs: number, now: number): boolean {
  const { host, silence } = run;
  if (silence.nats < OWN_SHARE * THRESHOLD || now - host.silentSince < leastMs) return false;
  const others = host.othersSince(run, server.lastOnlineAt);
  return others.servers >= LEAST_OTHERS && others.nats >= THRESHOLD && now - others.since >= leastMs;
}

/**
 * True if the next probe of a silent server will probably decide whether the server is offline. This is the case
 * shortly before and after the earliest time at which the server can get the verdict offline.
 */
export function isDecisive({ since, convicted }: Run, leastMs: number, now: number): boolean {
  return !convicted && Math.abs(now - since - leastMs) <= DECISIVE_MS;
}

/**
 * Records that a server of a host has answered. If the whole host was silent before this answer, returns the keys of
 * all other silent servers of the host. Otherwise returns an empty list.
 */
export function reviveHost(host: SilentHost, key: string, now: number): readonly string[] {
  const wasMute = now - host.silentSince >= MUTE_MS && host.runs.size > 1;
  host.heard(now);
  return wasMute ? [...host.runs.keys()].filter(other => other !== key) : NOBODY;
}
