import type { ServerRecord } from '../servers/server-record.ts';
import { THRESHOLD } from './evidence.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { Run, SilentHost } from './silence.ts';
import type { Uplink } from './uplink.ts';

/** Fewer looks in a row never make a server offline (CONTRACT, `_updater`). */
export const LEAST_LOOKS = 2;
/**
 * Looks at most this far from the least silence of a verdict are decisive: they come close together, and some of them must
 * be lost too. A server that stood still for nearly as long answers again by then. In ms.
 */
export const DECISIVE_MS = 6_000;
const LEAST_LATE = 2;
/**
 * Other silent servers of a host, and the share of its own evidence, that make a server offline together with them. Fewer
 * servers may have ended just before this one stands still.
 */
const LEAST_OTHERS = 8;
const OWN_SHARE = 1 / 3;
/** A host is mute if no server of it answered for this long, ms; one silent server among answering ones is not enough. */
const MUTE_MS = 10_000;
/** A verdict comes this long before the time for which a status may be kept is over, ms. */
const MARGIN_MS = 20_000;

const NOBODY: readonly string[] = [];

/** Whether the evidence of a silence is enough to call a server offline. `leastMs`: the least silence for a verdict. */
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

/** Whether the other servers of a mute host are evidence enough, with a share of the server's own. */
function isOfflineWithHost(server: ServerRecord, run: Run, leastMs: number, now: number): boolean {
  const { host, silence } = run;
  if (silence.nats < OWN_SHARE * THRESHOLD || now - host.silentSince < leastMs) return false;
  const others = host.othersSince(run, server.lastOnlineAt);
  return others.servers >= LEAST_OTHERS && others.nats >= THRESHOLD && now - others.since >= leastMs;
}

/** Whether the next look at a silent server is likely to decide: its silence is about as long as a verdict needs. */
export function isDecisive({ since, convicted }: Run, leastMs: number, now: number): boolean {
  return !convicted && Math.abs(now - since - leastMs) <= DECISIVE_MS;
}

/** Notes that a server of a host answers. Returns the keys of its other silent servers if all of the host was silent. */
export function reviveHost(host: SilentHost, key: string, now: number): readonly string[] {
  const wasMute = now - host.silentSince >= MUTE_MS && host.runs.size > 1;
  host.heard(now);
  return wasMute ? [...host.runs.keys()].filter(other => other !== key) : NOBODY;
}
