import { fnv1aText } from '../../runtime/fnv1a.ts';
import type { Label, ServerRecord } from './server-record.ts';

const MINUTE_MS = 60_000;
/** Delay before the next try if a server could not be probed, ms. */
const AGAIN_MS = 15_000;
/**
 * Pauses between looks at a silent server, s: short at first, longer later. A look is one packet, and the rate limit of the
 * address holds in any case.
 */
const LOOKS_S = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5];
/** Random share by which a pause is longer, so that servers that fell silent together are not probed together. */
const JITTER = 1 / 4;

/** For this long after it fell silent, an offline server is probed at the healthy interval, bounded by these, ms. */
const RETURN_MS = 15 * MINUTE_MS;
const LEAST_RETURN_MS = 1_000;
const MOST_RETURN_MS = 10_000;
/** After that its interval is this share of its silence, between these multiples of the healthy interval. */
const AWAY_SHARE = 1 / 3;
const LEAST_AWAY = 5;
const MOST_AWAY = 60;
/** Bounds for a filtered server, as multiples of the healthy interval. */
const LEAST_FILTERED = 15;
const MOST_FILTERED = 30;

type Pair = Pick<ServerRecord, 'gameId' | 'address'>;

/** Phase of a server in its interval, in [0, 1): a stable hash of its key. */
function phaseOf({ gameId, address }: Pair, before?: number): number {
  // Hashed piece by piece, because V8 copies a concatenated string before its characters can be read.
  return (mixed(fnv1aText(address, fnv1aText(' ', fnv1aText(gameId, before)))) >>> 0) / 2 ** 32;
}

/** MurmurHash3's finalizer. FNV-1a alone puts ten neighbouring ports of an address within 4 % of an interval. */
function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/**
 * Next due time at the server's own phase of the interval, so that servers inserted together do not stay due together. It is
 * at least half an interval away, so that the average is one interval.
 */
export function nextInPhase(server: Pair, now: number, intervalMs: number): number {
  const phase = Math.floor(phaseOf(server) * intervalMs);
  const earliest = now + intervalMs / 2;
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase;
}

/**
 * Next due time at another phase each time, for servers that share a rate limit. In a fixed order the same servers would
 * always come last, when nothing is left of the limit.
 */
export function nextOutOfPhase(server: Pair, now: number, intervalMs: number): number {
  return Math.ceil(now + (0.5 + phaseOf(server, fnv1aText(`${now} `))) * intervalMs);
}

/** Next due time of a server that could not be probed. */
export function againAt(now: number, probeIntervalMs: number): number {
  return now + Math.min(AGAIN_MS, probeIntervalMs);
}

/** Next due time of a silent server. `looks`: probes in a row without a valid reply. */
export function nextLook(server: Pair, looks: number, now: number): number {
  const last = LOOKS_S.length - 1;
  const pause = (LOOKS_S[Math.min(looks - 1, last)] ?? 5) * 1000;
  return Math.ceil(now + pause * (1 + JITTER * phaseOf(server, fnv1aText(`${now} `))));
}

/** Interval of an offline server by the length of its silence, ms. */
export function offlineIntervalMs(silentMs: number, label: Label, probeIntervalMs: number): number {
  if (silentMs < RETURN_MS) return clamp(probeIntervalMs, LEAST_RETURN_MS, MOST_RETURN_MS);
  const [least, most] = label === 'filtered' ? [LEAST_FILTERED, MOST_FILTERED] : [LEAST_AWAY, MOST_AWAY];
  return Math.round(clamp(silentMs * AWAY_SHARE, least * probeIntervalMs, most * probeIntervalMs));
}

/** Whether an offline server is still probed at the healthy interval. */
export function mayReturnSoon(silentMs: number): boolean {
  return silentMs < RETURN_MS;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
