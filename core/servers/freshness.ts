import type { ServerRecord } from './server-record.ts';

/** Why and by how much a payload is old; CONTRACT, `_stale`. */
export interface Staleness {
  reason: 'offline' | 'probe_delayed';
  ageSeconds: number;
  thresholdSeconds: number;
  /** Milliseconds since the Unix epoch. */
  lastSuccessAt: number;
}

/** When a payload counts as stale. */
export interface FreshnessRules {
  staleAfterMs: number;
  /**
   * The healthy interval, in place of that of a server which did not answer its last probe: that it is asked more rarely must
   * not hide that its data is old.
   */
  probeIntervalMs: number;
}

/** Tells whether the last success is older than the threshold: `staleAfterMs`, or three intervals if longer. */
export function staleness(
  server: Pick<ServerRecord, 'status' | 'intervalMs' | 'lastProbeAt' | 'lastOnlineAt'>,
  now: number,
  rules: FreshnessRules,
): Staleness | undefined {
  if (server.lastOnlineAt === 0) return undefined;
  const answered = server.status === 'online' && server.lastProbeAt <= server.lastOnlineAt;
  const interval = answered ? server.intervalMs : rules.probeIntervalMs;
  const threshold = Math.max(rules.staleAfterMs, 3 * interval);
  const age = now - server.lastOnlineAt;
  if (age <= threshold) return undefined;
  return {
    reason: server.status === 'offline' ? 'offline' : 'probe_delayed',
    ageSeconds: Math.floor(age / 1000),
    thresholdSeconds: Math.ceil(threshold / 1000),
    lastSuccessAt: server.lastOnlineAt,
  };
}
