import { isoTime } from './payload.ts';
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
  /** The healthy interval, in place of an offline server's backoff: backing off must not hide that data is old. */
  probeIntervalMs: number;
}

/** Tells whether the last success is older than the threshold: `staleAfterMs`, or three intervals if longer. */
export function staleness(server: ServerRecord, now: number, rules: FreshnessRules): Staleness | undefined {
  if (server.lastOnlineAt === 0) return undefined;
  const interval = server.status === 'online' ? server.intervalMs : rules.probeIntervalMs;
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

/** The server's JSON with a `_stale` object where it is stale; the stored bytes themselves where it is fresh. */
export function freshJson(server: ServerRecord, now: number, rules: FreshnessRules): Buffer {
  const stale = staleness(server, now, rules);
  if (!stale) return server.json;
  const object = {
    reason: stale.reason,
    age_seconds: stale.ageSeconds,
    threshold_seconds: stale.thresholdSeconds,
    last_success_at: isoTime(stale.lastSuccessAt),
  };
  return Buffer.concat([server.json.subarray(0, -1), Buffer.from(`,"_stale":${JSON.stringify(object)}}`)]);
}
