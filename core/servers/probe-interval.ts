import type { ServerRecord } from './server-record.ts';

/** A server is asked again this soon where one more probe may decide something. */
const CONFIRM_MS = 15_000;
/** An offline server is asked ever more rarely: these multiples of the healthy interval. */
const BACKOFF = [5, 10, 20, 30, 60] as const;

type Pair = Pick<ServerRecord, 'gameId' | 'address'>;

/** FNV-1a, of a text behind what was hashed before. */
function hashed(text: string, before = 0x811c9dc5): number {
  let hash = before;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** A stable number in [0, 1) from the key of a server: where in its interval it is probed. */
function phaseOf({ gameId, address }: Pair, before?: number): number {
  // In parts, because V8 copies a text that was put together before one can look into it.
  return (hashed(address, hashed(' ', hashed(gameId, before))) >>> 0) / 2 ** 32;
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
  return Math.ceil(now + (0.5 + phaseOf(server, hashed(`${now} `))) * intervalMs);
}

/** When to take a second look: soon, so that the verdict comes soon. */
export function confirmAt(now: number, probeIntervalMs: number): number {
  return now + Math.min(CONFIRM_MS, probeIntervalMs);
}

/** The interval of a server that is offline, after so many further probes that failed; in milliseconds. */
export function backoffMs(further: number, probeIntervalMs: number): number {
  return (BACKOFF[Math.min(further, BACKOFF.length - 1)] ?? 1) * probeIntervalMs;
}
