import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { ProbeSignals__Output } from '../../proto/generated/gsq/v1/ProbeSignals.ts';
import type { ReportedPayload } from '../../proto/reported-payload.ts';
import { renderData } from './payload.ts';
import { confirmAt, nextInPhase, nextOutOfPhase } from './probe-interval.ts';
import { afterAnswer, afterFailure, explainsSilence } from './probe-label.ts';
import { isSameReply } from './same-reply.ts';
import { noHistory, type ServerRecord, serverKey } from './server-record.ts';

/** What one probe found. */
export interface ProbeFinding {
  outcome: ProbeOutcome;
  /** With PROBE_OUTCOME_ONLINE. */
  payload: ReportedPayload | null;
  /** The port that answered; 0 where none did. */
  queryPort: number;
  /** How the network treated the probe, where the prober says so. */
  signals?: ProbeSignals__Output | null;
}

/** The first of these in a row are followed by a second look. */
const MAX_CONFIRMED = 3;
/** Failures in a row are counted so far. */
export const MAX_FAILURES = 7;

/** What counts against a server. Anything else, a prober's fault or nonsense, says nothing about it. */
const FAILURES: ReadonlySet<ProbeOutcome> = new Set([
  'PROBE_OUTCOME_NO_REPLY',
  'PROBE_OUTCOME_MALFORMED',
  'PROBE_OUTCOME_REFUSED',
  'PROBE_OUTCOME_UNRESOLVABLE',
  'PROBE_OUTCOME_BLOCKED',
]);

const NO_DATA = Buffer.alloc(0);

/** A record of a pair that was just inserted: pending, due at once. */
export function newRecord(
  gameId: string,
  address: string,
  insertedBy: string,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  return {
    key: serverKey(gameId, address),
    gameId,
    address,
    insertedAt: now,
    insertedBy,
    status: 'pending',
    label: 'none',
    intervalMs: probeIntervalMs,
    lastProbeAt: 0,
    lastOnlineAt: 0,
    nextProbeAt: now,
    failures: 0,
    history: noHistory,
    queryPort: 0,
    version: 1,
    data: NO_DATA,
  };
}

/** The record of a server of which nothing was learnt, due again at a time. */
export function putOff(server: ServerRecord, nextProbeAt: number): ServerRecord {
  return changed(server, Buffer.from(server.data), { ...server, nextProbeAt });
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
    return answered(server, finding, finding.payload, now, probeIntervalMs);
  }
  if (FAILURES.has(finding.outcome)) return failed(server, finding, now, probeIntervalMs);
  return putOff(server, confirmAt(now, probeIntervalMs));
}

function answered(
  server: ServerRecord,
  { queryPort, signals }: ProbeFinding,
  payload: ReportedPayload,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  const data = renderData(payload, server.address, now);
  const answer = {
    // Where the port is not known yet, those at which there is nothing lose what is sent to them.
    lost: server.queryPort !== 0 && signals !== null && signals !== undefined && signals.packetsLost > 0,
    empty: payload.players === 0,
    same: server.status === 'online' && isSameReply(payload, server.data, data),
  };
  const { label, intervalMs, history } = afterAnswer(server, answer, now, probeIntervalMs);
  return changed(server, data, {
    status: 'online',
    label,
    intervalMs,
    lastProbeAt: now,
    lastOnlineAt: now,
    nextProbeAt: nextInPhase(server, now, intervalMs),
    failures: 0,
    history,
    queryPort,
  });
}

function failed(
  server: ServerRecord,
  finding: ProbeFinding,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  const { offline, label, intervalMs, history } = afterFailure(server, finding, now, probeIntervalMs);
  const status = offline ? 'offline' : server.status;
  const failures = Math.min(server.failures + 1, MAX_FAILURES);
  // Where silence is explained, asking again soon only adds to its cause.
  const confirm = status !== 'offline' && !explainsSilence(label) && failures <= MAX_CONFIRMED;
  const next = label === 'rate_limited' ? nextOutOfPhase : nextInPhase;
  return changed(server, Buffer.from(server.data), {
    status,
    label,
    intervalMs,
    lastProbeAt: now,
    lastOnlineAt: server.lastOnlineAt,
    nextProbeAt: confirm ? confirmAt(now, probeIntervalMs) : next(server, now, intervalMs),
    failures,
    history,
    // A server that is gone may come back behind another of its game's ports.
    queryPort: offline ? 0 : server.queryPort,
  });
}

type Change = Omit<
  ServerRecord,
  'key' | 'gameId' | 'address' | 'insertedAt' | 'insertedBy' | 'version' | 'data'
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
    history: change.history,
    queryPort: change.queryPort,
    version: server.version + 1,
    data,
  };
}
