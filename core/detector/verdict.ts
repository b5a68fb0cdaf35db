import type { ServerRecord } from '../servers/server-record.ts';
import { THRESHOLD } from './evidence.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { Run, SilentHost } from './silence.ts';
import type { Uplink } from './uplink.ts';

/** Minimum number of consecutive unanswered probes for an offline verdict (CONTRACT, `_updater`). */
export const LEAST_LOOKS = 2;
/**
 * A probe is decisive if it is at most DECISIVE_MS (in ms) before or after the end of the minimum silent period of an
 * offline verdict. Decisive probes follow each other closely. At least LEAST_LATE probes must be lost after the first
 * moment at which a probe is decisive, because a server that paused for nearly the minimum time answers these probes.
 */
export const DECISIVE_MS = 6_000;
const LEAST_LATE = 2;
/**
 * A server can become offline together with other silent servers of its host. This needs at least LEAST_OTHERS other
 * servers, and OWN_SHARE of the normal evidence against the server itself. A smaller number of servers could have
 * stopped by chance just before this server paused.
 */
const LEAST_OTHERS = 8;
const OWN_SHARE = 1 / 3;
/**
 * A host is mute if none of its servers answered for this long, ms. One silent server is not enough while other servers
 * of the host answer.
 */
const MUTE_MS = 10_000;
/** Time between an offline verdict and the end of the longest time for which a server can keep its status, ms. */
const MARGIN_MS = 20_000;

const NOBODY: readonly string[] = [];

/**
 * True if a server that does not answer gets the verdict offline. Either the evidence is sufficient, or the server has
 * kept its status for the longest possible time. `leastMs`: minimum silent period for an offline verdict. `holdMs`:
 * longest time to keep a status, which is at least three probe intervals.
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
 * True if no server of the host answers, and the evidence against the other servers is sufficient together with a share
 * of the server's own evidence.
 */
function isOfflineWithHost(server: ServerRecord, run: Run, leastMs: number, now: number): boolean {
  const { host, silence } = run;
  if (silence.nats < OWN_SHARE * THRESHOLD || now - host.silentSince < leastMs) return false;
  const others = host.othersSince(run, server.lastOnlineAt);
  return others.servers >= LEAST_OTHERS && others.nats >= THRESHOLD && now - others.since >= leastMs;
}

/**
 * True if the next probe of a silent server will probably decide: the server has been silent for about the minimum time
 * that an offline verdict needs.
 */
export function isDecisive({ since, convicted }: Run, leastMs: number, now: number): boolean {
  return !convicted && Math.abs(now - since - leastMs) <= DECISIVE_MS;
}

/**
 * Records that a server of a host answers. If the whole host was silent before, returns the keys of its other silent
 * servers; else returns an empty list.
 */
export function reviveHost(host: SilentHost, key: string, now: number): readonly string[] {
  const wasMute = now - host.silentSince >= MUTE_MS && host.runs.size > 1;
  host.heard(now);
  return wasMute ? [...host.runs.keys()].filter(other => other !== key) : NOBODY;
}
