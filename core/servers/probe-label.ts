import type { Label, ProbeHistory, ServerRecord } from './server-record.ts';

const MINUTE_MS = 60_000;
/** So many clean probes in a row halve the interval. */
const CLEAN_TO_HALVE = 5;
/** So many looks that were challenged and no more, with no valid reply between, make `challenge_only`. */
const CHALLENGED_LOOKS = 3;

// Intervals, as multiples of the healthy one.
const LONG_EMPTY = 5;
const MAX_LIMITED = 15;
const MAX_LABELLED = 30;
const CACHED = 5;

// Time is counted by the boundaries of ticks that lie between two answers: it takes three bits, and no field.
const EMPTY_TICK_MS = 6 * MINUTE_MS;
/** Empty for 30 to 36 minutes. */
const LONG_EMPTY_TICKS = 7;
const SAME_TICK_MS = 10 * MINUTE_MS;
/** The same for two hours. */
const CACHED_TICKS = 12;
/** One answer says at most as much as an hour of them. */
const MAX_SAME_TICKS_AT_ONCE = 6;

/*
 * Whether a server drops packets on purpose is judged as the failure detector judges silence: each packet adds the log of how
 * much likelier its fate is at the loss of a limiter than at the loss of our line. The sum never falls below 0 (Page's
 * CUSUM test), and a live server under random loss reaches the threshold once in e^18 packets.
 */
const LIMIT_THRESHOLD = 18;
/** Loss that is nobody's fault, at least. */
const LEAST_UPLINK_LOSS = 0.1;
const LEAST_LIMITER_LOSS = 0.35;
const MOST_LIMITER_LOSS = 0.9;
const LIMITER_TO_LINE = 2.5;
/** A silence that ended is one event, whatever number of packets was lost in it. */
const MOST_LOST_IN_SILENCE = 2;
/** The share lost is smoothed over so many answers. */
const MOST_ANSWERS = 15;
const MOST_CLEAN = 7;

/** What labels and intervals take from an answer. */
export interface Answer {
  /** Packets the server ought to have answered, and those lost of them. */
  sent: number;
  lost: number;
  /** Packets lost in the silence that this answer ended. */
  lostBefore: number;
  /** The share lost on our own line. */
  uplinkLoss: number;
  empty: boolean;
  /** It said what it said before, and cannot have meant it. */
  same: boolean;
}

/** How a server is to be treated from now on. */
export type Standing = Pick<ServerRecord, 'label' | 'intervalMs' | 'history'>;

function ticks(from: number, to: number, widthMs: number): number {
  return Math.max(0, Math.floor(to / widthMs) - Math.floor(from / widthMs));
}

/** The label, the interval and what is remembered after a probe that was answered. */
export function afterAnswer(
  server: ServerRecord,
  answer: Answer,
  now: number,
  probeIntervalMs: number,
): Standing {
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
  const limiter = Math.min(Math.max(LIMITER_TO_LINE * innocent, LEAST_LIMITER_LOSS), MOST_LIMITER_LOSS);
  if (limiter <= innocent) return 0;
  const drops = lost + Math.min(lostBefore, MOST_LOST_IN_SILENCE);
  const replies = Math.max(sent - lost, 0);
  const added = drops * Math.log(limiter / innocent) + replies * Math.log((1 - limiter) / (1 - innocent));
  return Math.min(Math.max(limitEvidence + added, 0), LIMIT_THRESHOLD);
}

/** Labels a server rate limited, or doubles its interval once more; evidence that told is not counted again. */
function limited(server: ServerRecord, history: ProbeHistory, probeIntervalMs: number): Standing {
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

/** Halves the interval of a labelled server that answers well; back at `rest`, the label clears. */
function eased(server: ServerRecord, history: ProbeHistory, rest: number, probeIntervalMs: number): Standing {
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

/** What explains the silence of a server. */
export interface SilenceSeen {
  offline: boolean;
  /** Looks in which the server demanded a challenge. */
  challenged: number;
  /** Others at the same host answer meanwhile. */
  hostAnswers: boolean;
  /** The host itself said that nothing listens. */
  refused: boolean;
}

/** The label of a server that is silent. It explains, and never holds a status. */
export function labelOfSilence(server: ServerRecord, seen: SilenceSeen): Label {
  if (seen.challenged >= CHALLENGED_LOOKS) return 'challenge_only';
  if (!seen.offline) return server.label;
  if (server.lastOnlineAt === 0 || seen.refused) return 'none';
  if (server.status === 'offline') return server.label;
  return seen.hostAnswers ? 'filtered' : 'none';
}
