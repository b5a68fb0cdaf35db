import { fnv1aText } from '../../runtime/fnv1a.ts';
import { phaseOf, type ServerName } from './server-phase.ts';
import type { Label } from './server-record.ts';

const MINUTE_MS = 60_000;
/** Delay before the next try if a probe of a server could not be made, ms. */
const AGAIN_MS = 15_000;
/**
 * Pauses between probes of a server that stopped answering and is not offline yet, in seconds. Short first pauses
 * detect an outage soon, and cost only one packet for each probe.
 */
const LOOKS_S = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5];
/**
 * Maximum random extension (jitter) of the pause between two probes, as a share of the pause. Without it, servers that
 * stopped answering at the same moment would always be probed at the same moment.
 */
const JITTER = 1 / 4;

/**
 * For this time after its last answer (ms), an offline server is probed often, because many servers come back soon. In
 * this time, the probe interval is at least LEAST_RETURN_MS and at most MOST_RETURN_MS.
 */
const RETURN_MS = 15 * MINUTE_MS;
const LEAST_RETURN_MS = 1_000;
const MOST_RETURN_MS = 10_000;
/**
 * Values for the probe interval of a server that has not answered for RETURN_MS or longer. The interval is the time
 * since the last answer, multiplied by AWAY_SHARE. It is at least LEAST_AWAY times and at most MOST_AWAY times the
 * interval of a healthy server.
 */
const AWAY_SHARE = 1 / 3;
const LEAST_AWAY = 5;
const MOST_AWAY = 60;
/**
 * Limits of the probe interval of an offline server with the firewall label `filtered`, as multiples of the interval of
 * a healthy server. The label means that other servers on the host answer.
 */
const LEAST_FILTERED = 15;
const MOST_FILTERED = 30;

/**
 * Returns the next due time of a server, 0.5 to 1.5 intervals from now. Each server has a fixed offset (phase), so that
 * servers inserted together are not probed together.
 */
export function nextInPhase(server: ServerName, now: number, intervalMs: number): number {
  const phase = Math.floor(phaseOf(server) * intervalMs);
  const earliest = now + intervalMs / 2;
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase;
}

/**
 * Returns a partly random due time for a server that shares a rate limit with other servers. In a fixed order, the
 * first servers would always use up the limit, and the last ones would never be probed.
 */
export function nextOutOfPhase(server: ServerName, now: number, intervalMs: number): number {
  return Math.ceil(now + (0.5 + phaseOf(server, fnv1aText(`${now} `))) * intervalMs);
}

/** Returns the due time of the next probe after a probe that could not be made. */
export function againAt(now: number, probeIntervalMs: number): number {
  return now + Math.min(AGAIN_MS, probeIntervalMs);
}

/**
 * Returns the next due time of a server whose last probes failed, but which is not offline yet. `looks`: number of
 * failed probes in a row, at least 1.
 */
export function nextLook(server: ServerName, looks: number, now: number): number {
  const last = LOOKS_S.length - 1;
  const pause = (LOOKS_S[Math.min(looks - 1, last)] ?? 5) * 1000;
  return Math.ceil(now + pause * (1 + JITTER * phaseOf(server, fnv1aText(`${now} `))));
}

/** Returns the probe interval of an offline server, ms. `silentMs`: time since its last answer, ms. */
export function offlineIntervalMs(silentMs: number, label: Label, probeIntervalMs: number): number {
  if (silentMs < RETURN_MS) return clamp(probeIntervalMs, LEAST_RETURN_MS, MOST_RETURN_MS);
  const [least, most] = label === 'filtered' ? [LEAST_FILTERED, MOST_FILTERED] : [LEAST_AWAY, MOST_AWAY];
  return Math.round(clamp(silentMs * AWAY_SHARE, least * probeIntervalMs, most * probeIntervalMs));
}

/** Returns the longest probe interval of a server, ms. */
export function longestIntervalMs(probeIntervalMs: number): number {
  return MOST_AWAY * probeIntervalMs;
}

/** True if an offline server is still probed at short intervals, because it perhaps returns soon. */
export function mayReturnSoon(silentMs: number): boolean {
  return silentMs < RETURN_MS;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
