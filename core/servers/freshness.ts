import { isInDoubt, isUnknowable, type Reason, type Status } from './server-record.ts';

/** Why a payload is stale and how old it is (CONTRACT, `_stale`). */
export interface Staleness {
  reason: 'offline' | 'probe_delayed' | 'unknowable';
  ageSeconds: number;
  thresholdSeconds: number;
  /** Milliseconds since the Unix epoch. */
  lastSuccessAt: number;
}

/** When a payload counts as stale. */
export interface FreshnessRules {
  staleAfterMs: number;
  /**
   * The healthy interval. A server that is not online is probed more rarely, which must not hide that its
   * data is old.
   */
  probeIntervalMs: number;
}

/** The fields of a view that age alone may change, and the fields that decide about it. */
export interface AgingView {
  status: Status;
  reason: Reason;
  slot: number;
  intervalMs: number;
  lastProbeAt: number;
  lastOnlineAt: number;
}

/**
 * Brings a view to the moment at which it is shown: every answer shows a server by this rule. Returns how stale its data
 * is: undefined up to the threshold, which is `staleAfterMs` or three intervals if longer.
 *
 * Beyond the threshold nobody is shown online (CONTRACT, `_updater`). A stored `online` becomes `pending`, for the server
 * was not asked, or could not be. So does a stored `offline` if the server cannot be asked any longer. The view loses its
 * slot then: fragments kept by slot show what is stored.
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
