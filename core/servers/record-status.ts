import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import { nextInPhase, nextLook, nextOutOfPhase, offlineIntervalMs } from './probe-interval.ts';
import { type Answer, afterAnswer, labelOfSilence } from './probe-label.ts';
import { isSameReply } from './same-reply.ts';
import { noHistory, type Reason, type ServerRecord, serverKey } from './server-record.ts';

/** Result of a probe that the server answered. */
export interface AnswerFound extends Pick<Answer, 'sent' | 'lost' | 'lostBefore' | 'uplinkLoss'> {
  payload: ReportedPayload;
  /** Query port of the server that answered the probe. */
  queryPort: number;
}

/** Result of a probe without a valid reply, with the conclusions of the failure detector. */
export interface SilenceFound {
  reason: Reason;
  offline: boolean;
  /** Number of probes in a row without a valid reply, including this probe. */
  looks: number;
  /**
   * Number of probes that the server answered only with a challenge, without its status. Counted since the last valid
   * reply of the server.
   */
  challenged: number;
  /** True if other servers at the host of this server answer. */
  hostAnswers: boolean;
  /**
   * True if the next probe will probably decide whether the server is offline. The next probe is made soon in this
   * case.
   */
  isDecisive: boolean;
}

const NO_BYTES = Buffer.alloc(0);

/**
 * A changed record that is not stored yet. `addSample` can still replace `openHour`, to add a sample to the samples of
 * the unfinished hour.
 */
export type ChangedRecord = ServerRecord & { openHour: Uint8Array };

/** Returns the record of a server that was just inserted. The server is pending and due immediately. */
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
    isPublic: false,
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
    data: NO_BYTES,
    openHour: NO_BYTES,
  };
}

/**
 * Returns the record of a server with a new due time. Used if a probe was not made or its result says nothing about the
 * server.
 */
export function putOff(server: ServerRecord, nextProbeAt: number): ServerRecord {
  const record = changed(server, Buffer.from(server.data), { ...server, nextProbeAt });
  copyOpenHour(record);
  return record;
}

/** Returns the new record of a server that has sent a valid, complete reply. */
export function recordAnswer(
  server: ServerRecord,
  found: AnswerFound,
  now: number,
  probeIntervalMs: number,
): ChangedRecord {
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

/**
 * Returns the record of a server after a probe without a valid reply. The record keeps the data of the last reply, even
 * if the server is now offline.
 */
export function recordSilence(
  server: ServerRecord,
  found: SilenceFound,
  now: number,
  probeIntervalMs: number,
): ChangedRecord {
  const { offline, reason } = found;
  const label = labelOfSilence(server, { ...found, refused: reason === 'refused' });
  const silentMs = now - Math.max(server.lastOnlineAt, server.insertedAt);
  const intervalMs = offline ? offlineIntervalMs(silentMs, label, probeIntervalMs) : server.intervalMs;
  // If the server is missing from the public server list of its game, the next probe waits for a normal probe interval.
  // An earlier probe would read the same copy of the list, because the prober keeps a copy for about a minute.
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
    // If an offline server answers again, it can be a different server at the same address. Therefore the record
    // forgets how long the server has had no players.
    history: offline ? { ...server.history, clean: 0, emptyTicks: 0 } : { ...server.history, clean: 0 },
    // An offline server perhaps uses a different query port when it answers again. Therefore the record forgets the
    // known port.
    queryPort: offline ? 0 : server.queryPort,
  });
}

/**
 * Returns the new record of a server that gsq could not query, for example because credentials are missing. The status
 * of the server does not change. `retryAfterMs`: minimum time until the next probe, ms; 0 if unknown.
 */
export function recordUnknowable(
  server: ServerRecord,
  reason: Reason,
  retryAfterMs: number,
  now: number,
  probeIntervalMs: number,
): ChangedRecord {
  const unknownMs = now - Math.max(server.lastOnlineAt, server.insertedAt);
  const patient = Math.max(offlineIntervalMs(unknownMs, 'none', probeIntervalMs), probeIntervalMs);
  const intervalMs = server.status === 'online' ? server.intervalMs : patient;
  // If a rate limit postponed the probe (reason `paced`), nothing new is known about the server. Therefore an offline
  // server keeps its present reason.
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
  'key' | 'gameId' | 'address' | 'insertedAt' | 'insertedBy' | 'isPublic' | 'version' | 'data' | 'openHour'
>;

function changed(server: ServerRecord, data: Buffer, change: Change): ChangedRecord {
  return {
    key: server.key,
    gameId: server.gameId,
    address: server.address,
    insertedAt: server.insertedAt,
    insertedBy: server.insertedBy,
    isPublic: server.isPublic,
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
    // The new record uses the same memory for its samples as the old record. `copyOpenHour` copies the samples later,
    // and only if necessary, because a copy takes 80 ns.
    openHour: server.openHour,
  };
}

/**
 * Replaces `openHour` (samples of the unfinished hour) by a copy. Call this before you store the record, because the
 * store overwrites the memory of the original. If `addSample` has already replaced `openHour`, no copy is needed.
 */
export function copyOpenHour(record: ChangedRecord): void {
  // Copies the samples in 80 ns. `Buffer.from` would take 100 to 170 ns.
  const copy = Buffer.allocUnsafe(record.openHour.length);
  copy.set(record.openHour);
  record.openHour = copy;
}
