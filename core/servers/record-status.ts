import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import { nextInPhase, nextLook, nextOutOfPhase, offlineIntervalMs } from './probe-interval.ts';
import { type Answer, afterAnswer, labelOfSilence } from './probe-label.ts';
import { isSameReply } from './same-reply.ts';
import { noHistory, type Reason, type ServerRecord, serverKey } from './server-record.ts';

/** What an answered probe found. */
export interface AnswerFound extends Pick<Answer, 'sent' | 'lost' | 'lostBefore' | 'uplinkLoss'> {
  payload: ReportedPayload;
  /** The port that answered. */
  queryPort: number;
}

/** What a probe without a valid reply found, and what it means. */
export interface SilenceFound {
  reason: Reason;
  offline: boolean;
  /** Probes in a row without a valid reply, this one included. */
  looks: number;
  /** In how many of them the server demanded a challenge. */
  challenged: number;
  /** Others at the same host answer meanwhile. */
  hostAnswers: boolean;
  /** The next look may decide, so it should come at once. */
  isDecisive: boolean;
}

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
    reason: 'unprobed',
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

/** The record after a valid, complete reply. */
export function recordAnswer(
  server: ServerRecord,
  found: AnswerFound,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  const { payload, queryPort } = found;
  const answer: Answer = {
    sent: found.sent,
    lost: found.lost,
    lostBefore: found.lostBefore,
    uplinkLoss: found.uplinkLoss,
    empty: payload.players === 0,
    same: server.status === 'online' && isSameReply(payload, server.data),
  };
  const { label, intervalMs, history } = afterAnswer(server, answer, now, probeIntervalMs);
  const next = label === 'rate_limited' ? nextOutOfPhase : nextInPhase;
  return changed(server, payload.data(), {
    status: 'online',
    label,
    intervalMs,
    lastProbeAt: now,
    lastOnlineAt: now,
    nextProbeAt: next(server, now, intervalMs),
    reason: server.reason,
    history,
    queryPort,
  });
}

/** The record after a probe without a valid reply. A server keeps its last data, whatever it becomes. */
export function recordSilence(
  server: ServerRecord,
  found: SilenceFound,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  const { offline, reason } = found;
  const label = labelOfSilence(server, { ...found, refused: reason === 'refused' });
  const silentMs = now - Math.max(server.lastOnlineAt, server.insertedAt);
  const intervalMs = offline ? offlineIntervalMs(silentMs, label, probeIntervalMs) : server.intervalMs;
  // A directory's next list is an interval away.
  const doubtAt =
    reason === 'not_listed'
      ? nextInPhase(server, now, intervalMs)
      : nextLook(server, found.isDecisive ? 1 : found.looks, now);
  return changed(server, Buffer.from(server.data), {
    status: offline ? 'offline' : server.status,
    label,
    intervalMs,
    lastProbeAt: now,
    lastOnlineAt: server.lastOnlineAt,
    nextProbeAt: offline ? nextOutOfPhase(server, now, intervalMs) : doubtAt,
    reason,
    // One that was gone may be another server when it comes back.
    history: offline ? { ...server.history, clean: 0, emptyTicks: 0 } : { ...server.history, clean: 0 },
    // A server that is gone may come back behind another of its game's ports.
    queryPort: offline ? 0 : server.queryPort,
  });
}

/**
 * The record after a probe that could not ask the server: its name, a directory, credentials stand in the way. That says
 * nothing about the server, so its status stays; one that never could be asked is tried ever more rarely, as one that is
 * offline. `retryAfterMs`: when asking again makes sense, 0 if that is not known.
 */
export function recordUnknowable(
  server: ServerRecord,
  reason: Reason,
  retryAfterMs: number,
  now: number,
  probeIntervalMs: number,
): ServerRecord {
  const unknownMs = now - Math.max(server.lastOnlineAt, server.insertedAt);
  const patient = Math.max(offlineIntervalMs(unknownMs, 'none', probeIntervalMs), probeIntervalMs);
  const intervalMs = server.status === 'online' ? server.intervalMs : patient;
  // Our own pace takes nothing from a verdict.
  const isPacedVerdict = server.status === 'offline' && reason === 'paced';
  return changed(server, Buffer.from(server.data), {
    ...server,
    intervalMs,
    lastProbeAt: now,
    nextProbeAt: Math.max(nextInPhase(server, now, intervalMs), now + retryAfterMs),
    reason: isPacedVerdict ? server.reason : reason,
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
    reason: change.reason,
    history: change.history,
    queryPort: change.queryPort,
    version: server.version + 1,
    data,
  };
}
