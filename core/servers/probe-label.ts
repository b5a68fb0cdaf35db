import type { Label, ProbeHistory, ServerRecord } from './server-record.ts';

const MINUTE_MS = 60_000;
/**
 * After this number of answered probes in a row without packet loss, gsq halves the probe interval of a server with the
 * firewall label `rate_limited` or `cached`.
 */
const CLEAN_TO_HALVE = 5;
/**
 * A server gets the firewall label `challenge_only` after it has answered this number of probes only with a challenge.
 * A challenge is a value that the client must send back.
 */
const CHALLENGED_LOOKS = 3;

// gsq probes a server less often if the server has a firewall label, or no players for a long time. Each number is the
// probe interval as a multiple of the normal interval.
const LONG_EMPTY = 5;
const MAX_LIMITED = 15;
const MAX_LABELLED = 30;
const CACHED = 5;

// Durations are counted in ticks of fixed length, such as 6 minutes. In the server record, a number of ticks needs only
// a few bits, but a time stamp needs 64.
const EMPTY_TICK_MS = 6 * MINUTE_MS;
/** Number of ticks (6 minutes each) without players after which a server is probed less often. */
const LONG_EMPTY_TICKS = 7;
const SAME_TICK_MS = 10 * MINUTE_MS;
/**
 * A server that has sent the same reply for this number of ticks (of 10 minutes each) gets the firewall label `cached`.
 */
const CACHED_TICKS = 12;
/**
 * Maximum number of ticks (10 minutes each) that one answer adds to `sameTicks`. The counter `sameTicks` shows for how
 * long a server has sent the same reply.
 */
const MAX_SAME_TICKS_AT_ONCE = 6;

/**
 * A server gets the firewall label `rate_limited` at this value of `limitEvidence`, the evidence that it drops packets
 * on purpose. Lost packets raise the value, answered packets lower it (Page's CUSUM test).
 */
const LIMIT_THRESHOLD = 18;
/**
 * Lower limit for the packet loss of the prober's own network connection, as a share of packets. If the measured loss
 * is below this limit, the core calculates with the limit instead.
 */
const LEAST_UPLINK_LOSS = 0.1;
const LEAST_LIMITER_LOSS = 0.35;
const MOST_LIMITER_LOSS = 0.9;
const LIMITER_TO_UPLINK = 2.5;
/**
 * When a server answers again after failed probes, the packets that these probes lost are evidence for a rate limiter.
 * At most this number of them counts. More prove nothing, because the server was perhaps only switched off.
 */
const MOST_LOST_IN_SILENCE = 2;
/** The packet loss of a server is averaged over about this number of its latest answered probes. */
const MOST_ANSWERS = 15;
const MOST_CLEAN = 7;

/**
 * Facts about an answered probe. They determine the firewall label of the server (how it treats probes) and its next
 * probe interval.
 */
export interface Answer {
  /**
   * Number of packets of this probe that the server was expected to answer. `lost` is the number of those that it did
   * not answer.
   */
  sent: number;
  lost: number;
  /** Number of packets without a reply in the failed probes since the previous answer of the server. */
  lostBefore: number;
  /** Packet loss of the prober's own network connection, as a share of packets. */
  uplinkLoss: number;
  empty: boolean;
  /**
   * True if the reply equals the previous reply although the play times must have changed. Such a reply comes from a
   * cache.
   */
  same: boolean;
}

/** Firewall label, probe interval and history (results of earlier probes) of a server. */
export type ProbeState = Pick<ServerRecord, 'label' | 'intervalMs' | 'history'>;

function ticks(from: number, to: number, widthMs: number): number {
  return Math.max(0, Math.floor(to / widthMs) - Math.floor(from / widthMs));
}

/**
 * Returns the firewall label, probe interval and history (results of earlier probes) of a server after an answered
 * probe.
 */
export function afterAnswer(
  server: ServerRecord,
  answer: Answer,
  now: number,
  probeIntervalMs: number,
): ProbeState {
  const { empty, same } = answer;
  const before = server.history;
  const lossy = answer.lost > 0 || answer.lostBefore > 0;
  const history: ProbeHistory = {
    answers: Math.min(before.answers + 1, MOST_ANSWERS),
    lossShare: shareAfter(before, answer),
    limitEvidence: limitEvidence(before, answer),
    clean: lossy || (same && server.label === 'cached') ? 0 : Math.min(before.clean + 1, MOST_CLEAN),
    emptyTicks: empty ? emptyTicks(before, server, now) : 0,
    sameTicks: same ? sameTicks(before, server, now) : 0,
  };
  const rest = (history.emptyTicks === LONG_EMPTY_TICKS ? LONG_EMPTY : 1) * probeIntervalMs;
  if (history.limitEvidence >= LIMIT_THRESHOLD) return limited(server, history, probeIntervalMs);
  if (server.label === 'rate_limited' || server.label === 'cached')
    return eased(server, history, rest, probeIntervalMs);
  if (history.sameTicks < CACHED_TICKS) return { label: 'none', intervalMs: rest, history };
  return { label: 'cached', intervalMs: CACHED * probeIntervalMs, history: { ...history, clean: 0 } };
}

function shareAfter({ answers, lossShare }: ProbeHistory, { sent, lost, lostBefore }: Answer): number {
  const share = sent + lostBefore === 0 ? 0 : (lost + lostBefore) / (sent + lostBefore);
  return lossShare + (share - lossShare) / Math.min(answers + 1, MOST_ANSWERS);
}

function limitEvidence(
  { limitEvidence }: ProbeHistory,
  { sent, lost, lostBefore, uplinkLoss }: Answer,
): number {
  const innocent = Math.max(uplinkLoss, LEAST_UPLINK_LOSS);
  const limiter = Math.min(Math.max(LIMITER_TO_UPLINK * innocent, LEAST_LIMITER_LOSS), MOST_LIMITER_LOSS);
  if (limiter <= innocent) return 0;
  const drops = lost + Math.min(lostBefore, MOST_LOST_IN_SILENCE);
  const replies = Math.max(sent - lost, 0);
  const added = drops * Math.log(limiter / innocent) + replies * Math.log((1 - limiter) / (1 - innocent));
  return Math.min(Math.max(limitEvidence + added, 0), LIMIT_THRESHOLD);
}

/**
 * Gives a server the firewall label `rate_limited` and doubles its probe interval. Resets `limitEvidence` to 0, so that
 * only new evidence can double the interval a second time.
 */
function limited(server: ServerRecord, history: ProbeHistory, probeIntervalMs: number): ProbeState {
  const doubled = 2 * Math.max(server.intervalMs, probeIntervalMs);
  return {
    label: 'rate_limited',
    intervalMs: Math.min(doubled, MAX_LIMITED * probeIntervalMs),
    history: { ...history, limitEvidence: 0, clean: 0 },
  };
}

function emptyTicks(before: ProbeHistory, { lastOnlineAt }: ServerRecord, now: number): number {
  if (before.emptyTicks === 0) return 1;
  return Math.min(before.emptyTicks + ticks(lastOnlineAt, now, EMPTY_TICK_MS), LONG_EMPTY_TICKS);
}

function sameTicks(before: ProbeHistory, { lastOnlineAt }: ServerRecord, now: number): number {
  const more = Math.min(ticks(lastOnlineAt, now, SAME_TICK_MS), MAX_SAME_TICKS_AT_ONCE);
  return Math.min(before.sameTicks + more, CACHED_TICKS);
}

/**
 * Halves the probe interval of a server with the firewall label `rate_limited` or `cached`, after enough answers
 * without packet loss. Removes the label when the interval is down to `rest`, the interval of this server without the
 * label.
 */
function eased(
  server: ServerRecord,
  history: ProbeHistory,
  rest: number,
  probeIntervalMs: number,
): ProbeState {
  const current = Math.min(Math.max(server.intervalMs, rest), MAX_LABELLED * probeIntervalMs);
  if (history.clean < CLEAN_TO_HALVE) return { label: server.label, intervalMs: current, history };
  const half = Math.ceil(current / 2);
  if (half > rest) return { label: server.label, intervalMs: half, history: { ...history, clean: 0 } };
  return {
    label: 'none',
    intervalMs: rest,
    history: { ...history, clean: 0, limitEvidence: 0, sameTicks: 0 },
  };
}

/** Properties of a server that does not answer. They determine the firewall label of the server. */
export interface SilenceSeen {
  offline: boolean;
  /** Number of probes that the server answered only with a challenge (a value that the client must send back). */
  challenged: number;
  /** True if other servers at the host of this server answer. */
  hostAnswers: boolean;
  /** True if the host itself reported that no program listens at the server's port. */
  refused: boolean;
}

/**
 * Returns the firewall label of a server that does not answer. For example, the label is `filtered` if other servers on
 * the same host answer. The label only describes the silence. It has no influence on the decision whether the server is
 * offline.
 */
export function labelOfSilence(server: ServerRecord, seen: SilenceSeen): Label {
  if (seen.challenged >= CHALLENGED_LOOKS) return 'challenge_only';
  if (!seen.offline) return server.label;
  if (server.lastOnlineAt === 0 || seen.refused) return 'none';
  if (server.status === 'offline') return server.label;
  return seen.hostAnswers ? 'filtered' : 'none';
}
