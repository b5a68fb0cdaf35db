/** A server is asked again this soon where one more probe may decide something. */
const CONFIRM_MS = 15_000;
/** An offline server is asked ever more rarely: these multiples of the healthy interval. */
const BACKOFF = [5, 10, 20, 30, 60] as const;

/** A stable number in [0, 1) from a key (FNV-1a): where in its interval a server is probed. */
function phaseOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/**
 * The next time for a server: its own phase of the interval, so that servers inserted together do not stay due
 * together; at least half an interval away, so that the average is one interval.
 */
export function nextInPhase(key: string, now: number, intervalMs: number): number {
  const phase = Math.floor(phaseOf(key) * intervalMs);
  const earliest = now + intervalMs / 2;
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase;
}

/**
 * The next time for a server that shares a limit with others: at another phase each time. In their fixed order the same
 * few would always come when nothing is left for them.
 */
export function nextOutOfPhase(key: string, now: number, intervalMs: number): number {
  return Math.ceil(now + (0.5 + phaseOf(`${now} ${key}`)) * intervalMs);
}

/** When to take a second look: soon, so that the verdict comes soon. */
export function confirmAt(now: number, probeIntervalMs: number): number {
  return now + Math.min(CONFIRM_MS, probeIntervalMs);
}

/** The interval of a server that is offline, after so many further probes that failed; in milliseconds. */
export function backoffMs(further: number, probeIntervalMs: number): number {
  return (BACKOFF[Math.min(further, BACKOFF.length - 1)] ?? 1) * probeIntervalMs;
}
