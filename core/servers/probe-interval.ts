import { fnv1aText } from '../../runtime/fnv1a.ts';
import type { Label, ServerRecord } from './server-record.ts';

const MINUTE_MS = 60_000;
/** A server that could not be asked is asked again this soon. */
const AGAIN_MS = 15_000;
/**
 * The pauses before a silent server is asked again, s: dense while a verdict is near, wider later. One look is one packet, and
 * the packets of an address never exceed its rate limit, whatever this says.
 */
const LOOKS_S = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5];
/** Each pause is longer by up to this share: servers that fell silent together are not asked together. */
const JITTER = 1 / 4;

/** For so long after it fell silent a server is asked as if it were to return at any moment, ms. */
const RETURN_MS = 15 * MINUTE_MS;
const LEAST_RETURN_MS = 1_000;
const MOST_RETURN_MS = 10_000;
/** After that a share of the time it has been silent, between these multiples of the healthy interval. */
const AWAY_SHARE = 1 / 3;
const LEAST_AWAY = 5;
const MOST_AWAY = 60;
/** A firewall that filters us is bothered no more often than this; and it may be lifted. */
const LEAST_FILTERED = 15;
const MOST_FILTERED = 30;

type Pair = Pick<ServerRecord, 'gameId' | 'address'>;

/** A stable number in [0, 1) from the key of a server: where in its interval it is probed. */
function phaseOf({ gameId, address }: Pair, before?: number): number {
  // In parts, because V8 copies a text that was put together before one can look into it.
  return (mixed(fnv1aText(address, fnv1aText(' ', fnv1aText(gameId, before)))) >>> 0) / 2 ** 32;
}

/** MurmurHash3's finalizer: FNV-1a alone puts ten ports in a row at one address within 4 % of an interval. */
function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/**
 * The next time for a server: its own phase of the interval, so that servers inserted together do not stay due
 * together; at least half an interval away, so that the average is one interval.
 */
export function nextInPhase(server: Pair, now: number, intervalMs: number): number {
  const phase = Math.floor(phaseOf(server) * intervalMs);
  const earliest = now + intervalMs / 2;
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase;
}

/**
 * The next time for a server that shares a limit with others: at another phase each time. In their fixed order the same
 * few would always come when nothing is left for them.
 */
export function nextOutOfPhase(server: Pair, now: number, intervalMs: number): number {
  return Math.ceil(now + (0.5 + phaseOf(server, fnv1aText(`${now} `))) * intervalMs);
}

/** When to ask a server again that could not be asked. */
export function againAt(now: number, probeIntervalMs: number): number {
  return now + Math.min(AGAIN_MS, probeIntervalMs);
}

/** When to look again at a server that was silent so many times in a row. */
export function nextLook(server: Pair, looks: number, now: number): number {
  const last = LOOKS_S.length - 1;
  const pause = (LOOKS_S[Math.min(looks - 1, last)] ?? 5) * 1000;
  return Math.ceil(now + pause * (1 + JITTER * phaseOf(server, fnv1aText(`${now} `))));
}

/** The interval of an offline server that has been silent for so long, ms. */
export function offlineIntervalMs(silentMs: number, label: Label, probeIntervalMs: number): number {
  if (silentMs < RETURN_MS) return clamp(probeIntervalMs, LEAST_RETURN_MS, MOST_RETURN_MS);
  const [least, most] = label === 'filtered' ? [LEAST_FILTERED, MOST_FILTERED] : [LEAST_AWAY, MOST_AWAY];
  return Math.round(clamp(silentMs * AWAY_SHARE, least * probeIntervalMs, most * probeIntervalMs));
}

/** Whether an offline server is still asked as if it were to return at any moment. */
export function mayReturnSoon(silentMs: number): boolean {
  return silentMs < RETURN_MS;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
