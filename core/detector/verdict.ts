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
 * gsq probes a silent server more often near the earliest time for its verdict offline: from this many ms before that
 * time until as many ms after it. A server that only paused can answer these additional probes.
 */
export const DECISIVE_MS = 6_000;
/**
 * Minimum number of late unanswered probes for the verdict offline. A server must be silent for a minimum time before
 * this verdict. A probe is late if it was sent near or after the end of this time.
 */
const LEAST_LATE = 2;
/**
 * If a whole host is silent, each of its servers needs less evidence for the verdict offline: OWN_SHARE times
 * THRESHOLD. At least LEAST_OTHERS other servers of the host must be silent too.
 */
const LEAST_OTHERS = 8;
const OWN_SHARE = 1 / 3;
/** A host counts as silent if none of its servers has answered for this long, ms. */
const MUTE_MS = 10_000;
/**
 * Safety margin, ms. A silent server keeps its status for at most `holdMs`. `isOffline` already gives the verdict
 * offline at the time `holdMs` minus this margin.
 */
const MARGIN_MS = 20_000;

const NOBODY: readonly string[] = [];

/**
 * True if a silent server gets the verdict offline: the evidence is sufficient, or the server has kept its status for
 * the longest allowed time.
 *
 * - `leastMs`: minimum time without replies before the verdict, ms.
 * - `holdMs`: longest time to keep the status, ms; at least three probe intervals.
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
 * True if a server is offline because its whole host has been silent for `leastMs` (ms). The other silent servers need
 * the evidence THRESHOLD in total. The server itself needs only OWN_SHARE of THRESHOLD.
 */
function isOfflineWithHost(server: ServerRecord, run: Run, leastMs: number, now: number): boolean {
  const { host, silence } = run;
  if (silence.nats < OWN_SHARE * THRESHOLD || now - host.silentSince < leastMs) return false;
  const others = host.othersSince(run, server.lastOnlineAt);
  return others.servers >= LEAST_OTHERS && others.nats >= THRESHOLD && now - others.since >= leastMs;
}

/**
 * True shortly before and after the earliest time at which a silent server can get the verdict offline. The next probe
 * then probably decides.
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
