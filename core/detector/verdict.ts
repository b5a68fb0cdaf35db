import type { ServerRecord } from '../servers/server-record.ts';
import { THRESHOLD } from './evidence.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { Run, SilentHost } from './silence.ts';
import type { Uplink } from './uplink.ts';

/** Minimum number of consecutive unanswered probes for an offline verdict (CONTRACT, `_updater`). */
export const LEAST_LOOKS = 2;
/**
 * Shortly before and after the end of the minimum time without replies, a server is probed in quick succession. This
 * phase begins DECISIVE_MS (ms) before that end and lasts until DECISIVE_MS after it. An offline verdict requires at
 * least LEAST_LATE unanswered probes after the beginning of the phase. A server that only paused can still answer these
 * probes.
 */
export const DECISIVE_MS = 6_000;
const LEAST_LATE = 2;
/**
 * If a whole host is silent, a server needs only OWN_SHARE of the normal evidence for an offline verdict. For this, at
 * least LEAST_OTHERS other servers of the host must be silent. A smaller number could be silent by chance.
 */
const LEAST_OTHERS = 8;
const OWN_SHARE = 1 / 3;
/**
 * A host counts as silent if none of its servers has answered for this long, ms. One silent server is not enough while
 * other servers of the host answer.
 */
const MUTE_MS = 10_000;
/**
 * A server keeps its status without a valid reply for at most `holdMs` (see `isOffline`). The verdict offline comes
 * this long before the end of that time, ms.
 */
const MARGIN_MS = 20_000;

const NOBODY: readonly string[] = [];

/**
 * True if a server that does not answer gets the verdict offline. Either the evidence is sufficient, or the server has
 * kept its status for the longest possible time.
 *
 * `leastMs`: minimum time without replies for an offline verdict, ms. `holdMs`: longest time to keep a status, ms. If
 * three probe intervals are longer than `holdMs`, they are used instead.
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
 * True if the server gets the verdict offline because its whole host is silent. The total evidence against the other
 * servers of the host must be sufficient for a verdict. For this server, the share OWN_SHARE of that evidence is
 * sufficient.
 */
function isOfflineWithHost(server: ServerRecord, run: Run, leastMs: number, now: number): boolean {
  const { host, silence } = run;
  if (silence.nats < OWN_SHARE * THRESHOLD || now - host.silentSince < leastMs) return false;
  const others = host.othersSince(run, server.lastOnlineAt);
  return others.servers >= LEAST_OTHERS && others.nats >= THRESHOLD && now - others.since >= leastMs;
}

/**
 * True if the next probe of a silent server will probably decide whether the server is offline. This is true shortly
 * before and after the end of the minimum time without replies that an offline verdict needs.
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
