import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';
import { renderData } from './payload.ts';
import { type ServerRecord, serverKey } from './server-record.ts';

/** What one probe found. */
export interface ProbeFinding {
  outcome: ProbeOutcome;
  /** With PROBE_OUTCOME_ONLINE. */
  payload: ServerPayload__Output | null;
  /** The port that answered; 0 where none did. */
  queryPort: number;
}

/** A server goes offline only after this many failed probes in a row (CONTRACT). */
const FAILURES_TO_OFFLINE = 2;
/** The second look at a server that just failed comes soon, so that the verdict does. */
const CONFIRM_MS = 15_000;
/** An offline server is asked ever more rarely: these multiples of the healthy interval. */
const BACKOFF = [5, 10, 20, 30, 60] as const;

/** What counts against a server. Anything else, a prober's fault or nonsense, says nothing about it. */
const FAILURES: ReadonlySet<ProbeOutcome> = new Set([
  'PROBE_OUTCOME_NO_REPLY',
  'PROBE_OUTCOME_MALFORMED',
  'PROBE_OUTCOME_REFUSED',
  'PROBE_OUTCOME_UNRESOLVABLE',
  'PROBE_OUTCOME_BLOCKED',
]);

const NO_DATA = Buffer.alloc(0);

/** A stable number in [0, 1) from a key (FNV-1a): where in its interval a server is probed. */
function phaseOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/**
 * The next time for a healthy server: its own phase of the interval, so that servers inserted together do not stay
 * due together; at least half an interval away, so that the average is one interval.
 */
export function nextInPhase(key: string, now: number, intervalMs: number): number {
  const phase = Math.floor(phaseOf(key) * intervalMs);
  const earliest = now + intervalMs / 2;
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase;
}

function backoff(failures: number, probeIntervalMs: number): number {
  const step = Math.min(failures - FAILURES_TO_OFFLINE, BACKOFF.length - 1);
  return (BACKOFF[step] ?? 1) * probeIntervalMs;
}

/** A record of a pair that was just inserted: pending, due at once. */
export function newRecord(
  gameId: string,
  address: string,
  insertedBy: string,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  const timing = {
    status: 'pending',
    label: 'none',
    intervalMs: probeIntervalMs,
    lastProbeAt: 0,
    lastOnlineAt: 0,
    nextProbeAt: now,
  } as const;
  return {
    key: serverKey(gameId, address),
    gameId,
    address,
    insertedAt: now,
    insertedBy,
    ...timing,
    failures: 0,
    queryPort: 0,
    version: 1,
    data: NO_DATA,
  };
}

/**
 * The record after a probe. A prober's own fault says nothing about the server and only moves the next probe.
 * An offline server keeps its last data.
 */
export function recordStatus(
  server: ServerRecord,
  finding: ProbeFinding,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  if (finding.outcome === 'PROBE_OUTCOME_ONLINE' && finding.payload) {
    const data = renderData(finding.payload, server.address, now);
    return changed(server, data, {
      status: 'online',
      label: server.label,
      intervalMs: probeIntervalMs,
      lastProbeAt: now,
      lastOnlineAt: now,
      nextProbeAt: nextInPhase(server.key, now, probeIntervalMs),
      failures: 0,
      queryPort: finding.queryPort,
    });
  }
  const confirmAt = now + Math.min(CONFIRM_MS, probeIntervalMs);
  if (!FAILURES.has(finding.outcome)) {
    return changed(server, server.data, { ...server, nextProbeAt: confirmAt });
  }
  const failures = server.failures + 1;
  const offline = failures >= FAILURES_TO_OFFLINE;
  const intervalMs = offline ? backoff(failures, probeIntervalMs) : server.intervalMs;
  return changed(server, server.data, {
    status: offline ? 'offline' : server.status,
    label: server.label,
    intervalMs,
    lastProbeAt: now,
    lastOnlineAt: server.lastOnlineAt,
    nextProbeAt: offline ? nextInPhase(server.key, now, intervalMs) : confirmAt,
    failures,
    // A server that is gone may come back behind another of its game's ports.
    queryPort: offline ? 0 : server.queryPort,
  });
}

type Change = Pick<
  ServerRecord,
  | 'status'
  | 'label'
  | 'intervalMs'
  | 'lastProbeAt'
  | 'lastOnlineAt'
  | 'nextProbeAt'
  | 'failures'
  | 'queryPort'
>;

function changed(server: ServerRecord, data: Buffer, change: Change): ServerRecord {
  return {
    key: server.key,
    gameId: server.gameId,
    address: server.address,
    insertedAt: server.insertedAt,
    insertedBy: server.insertedBy,
    status: change.status,
    label: change.label,
    intervalMs: change.intervalMs,
    lastProbeAt: change.lastProbeAt,
    lastOnlineAt: change.lastOnlineAt,
    nextProbeAt: change.nextProbeAt,
    failures: change.failures,
    queryPort: change.queryPort,
    version: server.version + 1,
    data,
  };
}
