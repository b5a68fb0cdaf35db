import {
  type AnswerFound,
  recordAnswer,
  recordSilence,
  type SilenceFound,
} from '../../core/servers/record-status.ts';
import type { ServerRecord } from '../../core/servers/server-record.ts';
import { payloadOf } from './payload-of.ts';

const MINUTE_MS = 60_000;

/**
 * Returns the result of an answered probe. By default, the probe sent one packet and lost none. The network connection
 * of the prober (uplink) loses 1 % of all packets.
 */
export function answerOf(change: Partial<AnswerFound> = {}): AnswerFound {
  return {
    payload: payloadOf(),
    queryPort: 27015,
    sent: 1,
    lost: 0,
    lostBefore: 0,
    uplinkLoss: 0.01,
    ...change,
  };
}

/** Returns the result of an unanswered probe. By default, this result does not change the status of the server. */
export function silenceOf(change: Partial<SilenceFound> = {}): SilenceFound {
  return {
    reason: 'no_reply',
    offline: false,
    looks: 1,
    challenged: 0,
    hostAnswers: false,
    isDecisive: false,
    ...change,
  };
}

/** Returns the record of a server that has just answered. `now`: ms since the Unix epoch. */
export function onlineRecord(
  server: ServerRecord,
  now: number,
  change: Partial<AnswerFound> = {},
  probeIntervalMs = MINUTE_MS,
): ServerRecord {
  return recordAnswer(server, answerOf(change), now, probeIntervalMs);
}

/**
 * Returns the record of a server after one more unanswered probe. The status of the server does not change, because the
 * probe does not yet prove that the server is offline.
 */
export function silentRecord(
  server: ServerRecord,
  now: number,
  change: Partial<SilenceFound> = {},
  probeIntervalMs = MINUTE_MS,
): ServerRecord {
  return recordSilence(server, silenceOf(change), now, probeIntervalMs);
}

/** Returns the record of a server that was found offline. */
export function offlineRecord(
  server: ServerRecord,
  now: number,
  change: Partial<SilenceFound> = {},
  probeIntervalMs = MINUTE_MS,
): ServerRecord {
  return recordSilence(server, silenceOf({ offline: true, looks: 2, ...change }), now, probeIntervalMs);
}
