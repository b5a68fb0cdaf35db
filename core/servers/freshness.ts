import { isInDoubt, isUnknowable, type Reason, type Status } from './server-record.ts';

/** Reason why the data of a payload is stale, and its age (CONTRACT, `_stale`). */
export interface Staleness {
  reason: 'offline' | 'probe_delayed' | 'unknowable';
  ageSeconds: number;
  thresholdSeconds: number;
  /** Time of the last answer, in milliseconds since the Unix epoch. */
  lastSuccessAt: number;
}

/** Rules that decide whether the data of a server counts as stale. */
export interface FreshnessRules {
  staleAfterMs: number;
  /**
   * Probe interval of a healthy server, ms. It is also used for servers that are not online. Such servers are probed
   * less often, but their data must still count as stale.
   */
  probeIntervalMs: number;
}

/** The fields of a view that can change only because time passes, and the fields on which these changes depend. */
export interface AgingView {
  status: Status;
  reason: Reason;
  slot: number;
  intervalMs: number;
  lastProbeAt: number;
  lastOnlineAt: number;
}

/**
 * Sets the status and the reason of a view to the values that an answer shows at the time `now`. All answers use this
 * function. Returns how stale the data is, or undefined if its age does not exceed the threshold. The threshold is
 * `staleAfterMs` or three probe intervals, whichever is longer.
 *
 * An online server becomes `pending` if its data is older than the threshold (CONTRACT, `_updater`). An offline server
 * becomes `pending` if it can no longer be queried. If the status changes, `slot` becomes -1, because the answer
 * fragments that the cache has for the slot contain the stored status.
 */
export function showAt(server: AgingView, now: number, rules: FreshnessRules): Staleness | undefined {
  const inDoubt = isInDoubt(server);
  const isUnknown = inDoubt && isUnknowable(server.reason);
  if (server.status === 'offline' && isUnknown) {
    server.status = 'pending';
    server.slot = -1;
  }
  const age = now - server.lastOnlineAt;
  if (age <= rules.staleAfterMs || server.lastOnlineAt === 0) return undefined;
  const interval = server.status === 'online' ? server.intervalMs : rules.probeIntervalMs;
  const threshold = Math.max(rules.staleAfterMs, 3 * interval);
  if (age <= threshold) return undefined;
  if (server.status === 'online') {
    server.status = 'pending';
    if (!isUnknown) server.reason = 'prober_unavailable';
    server.slot = -1;
  }
  return {
    reason: server.status === 'offline' ? 'offline' : inDoubt ? 'unknowable' : 'probe_delayed',
    ageSeconds: Math.floor(age / 1000),
    thresholdSeconds: Math.ceil(threshold / 1000),
    lastSuccessAt: server.lastOnlineAt,
  };
}
