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
 * Time before and after the earliest possible verdict offline, ms. In this time, gsq probes a silent server more often.
 * A server that was silent only for a short time can then answer, so that it does not get the verdict.
 */
export const DECISIVE_MS = 6_000;
/**
 * The verdict offline needs a minimum time of silence, and at least this number of late unanswered probes. A probe is
 * late if it was sent after the minimum time of silence, or at most DECISIVE_MS before the end of this time.
 */
const LEAST_LATE = 2;
/**
 * If its whole host is silent, a server needs less evidence for the verdict offline: only the share OWN_SHARE of
 * THRESHOLD. This rule requires that at least LEAST_OTHERS other servers of the host are silent.
 */
const LEAST_OTHERS = 8;
const OWN_SHARE = 1 / 3;
/** A host counts as silent if none of its servers has answered for this long, ms. */
export const MUTE_MS = 10_000;
/**
 * Safety margin, ms. A silent server may keep its status for at most `holdMs`. `isOffline` gives the verdict offline
 * this much earlier, so that the server does not exceed the limit.
 */
const MARGIN_MS = 20_000;

const NOBODY: readonly string[] = [];

/**
 * Returns true if a silent server gets the verdict offline. One of two reasons is enough: the unanswered probes are
 * sufficient evidence, or the server has kept its status for the longest allowed time.
 *
 * - `leastMs`: minimum time without replies before the verdict, ms.
 * - `holdMs`: longest time for which a silent server keeps its status, ms. If three probe intervals are longer, they
 *   apply instead of `holdMs`.
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
 * Returns true if a server is offline because its whole host has been silent for `leastMs` (ms). At least LEAST_OTHERS
 * other servers of the host must be silent too, and their evidence in total must reach THRESHOLD. Because the host then
 * seems to be down, the share OWN_SHARE of THRESHOLD is enough as evidence for the server itself.
 */
function isOfflineWithHost(server: ServerRecord, run: Run, leastMs: number, now: number): boolean {
  const { host, silence } = run;
  if (silence.nats < OWN_SHARE * THRESHOLD || now - host.silentSince < leastMs) return false;
  const others = host.othersSince(run, server.lastOnlineAt);
  return others.servers >= LEAST_OTHERS && others.nats >= THRESHOLD && now - others.since >= leastMs;
}

/**
 * Returns true if the earliest time for the verdict offline of a silent server is near: at most DECISIVE_MS in the past
 * or in the future. gsq then probes the server again soon, because the next probe probably decides. Returns false if
 * the server already has the verdict.
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
