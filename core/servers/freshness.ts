import { isInDoubt, isUnknowable, type Reason, type ServerRecord, type Status } from './server-record.ts';

/**
 * Why the shown data of a server is stale, and how old the data is. Answers contain this as the object `_stale`
 * (CONTRACT, the API contract).
 */
export interface Staleness {
  reason: 'offline' | 'probe_delayed' | 'unknowable';
  ageSeconds: number;
  thresholdSeconds: number;
  /** Time of the last answer of the server, in milliseconds since the Unix epoch. */
  lastSuccessAt: number;
}

/** Rules that decide whether the data of a server counts as stale. */
export interface FreshnessRules {
  staleAfterMs: number;
  /**
   * Probe interval of a healthy server, ms. It decides when the data of a server that is not online becomes stale. The
   * interval of such a server itself is not used for this, because it is often longer.
   */
  probeIntervalMs: number;
}

/** The fields of a server that `showAt` reads or changes. */
export interface AgingView {
  status: Status;
  reason: Reason;
  slot: number;
  intervalMs: number;
  lastProbeAt: number;
  lastOnlineAt: number;
}

/**
 * Sets the status and the reason of `server` to the values that an answer at the time `now` must show. Returns how
 * stale the data of the server is, or undefined if the data is not stale. The API contract (CONTRACT, `_updater`)
 * defines the rules.
 */
export function showAt(server: AgingView, now: number, rules: FreshnessRules): Staleness | undefined {
  const inDoubt = isInDoubt(server);
  const isUnknown = inDoubt && isUnknowable(server.reason);
  // An offline server is shown as `pending` if gsq can no longer query it, or if its last probe was too long ago, for
  // example because no prober is connected.
  const isUnprobed = now - server.lastProbeAt > Math.max(rules.staleAfterMs, 3 * server.intervalMs);
  if (server.status === 'offline' && (isUnknown || isUnprobed)) {
    server.status = 'pending';
    if (!isUnknown) server.reason = 'prober_unavailable';
    // The answer must not use the cached JSON of the server, because this JSON contains the old status.
    server.slot = -1;
  }
  const age = now - server.lastOnlineAt;
  if (age <= rules.staleAfterMs || server.lastOnlineAt === 0) return undefined;
  // Data is stale if it is older than `staleAfterMs` and older than three probe intervals.
  const interval = server.status === 'online' ? server.intervalMs : rules.probeIntervalMs;
  const threshold = Math.max(rules.staleAfterMs, 3 * interval);
  if (age <= threshold) return undefined;
  // An online server with stale data is shown as `pending`.
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

/** Returns the status that an answer shows at the time `now` (see `showAt`). */
export function shownStatus(
  { status, reason, intervalMs, lastProbeAt, lastOnlineAt }: ServerRecord,
  now: number,
  rules: FreshnessRules,
): Status {
  const view = { status, reason, intervalMs, lastProbeAt, lastOnlineAt, slot: -1 };
  showAt(view, now, rules);
  return view.status;
}
