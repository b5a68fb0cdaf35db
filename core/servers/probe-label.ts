import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { ProbeSignals__Output } from '../../proto/generated/gsq/v1/ProbeSignals.ts';
import { backoffMs } from './probe-interval.ts';
import {
  type Label,
  noHistory,
  type ProbeHistory,
  type Reading,
  type ServerRecord,
} from './server-record.ts';

const MINUTE_MS = 60_000;
/** So many signals of loss among the last 8 make a rate limit; one lost packet does not. */
const SIGNS_OF_LIMIT = 3;
/** So many clean probes in a row halve the interval. */
const CLEAN_TO_HALVE = 5;
/** So many readings in a row make a verdict (CONTRACT: a server goes offline only after two failed probes in a row). */
const TO_VERDICT = 2;
/** Of a server that is known to be heard only now and then: so many silent probes say what two say of another. */
const TO_VERDICT_WHEN_LIMITED = 5;
/** The weight of readings at which a server goes offline though its label explains silence. */
const TO_OFFLINE_WHEN_LABELLED = 7;
/**
 * However well its silence is explained, nothing is told of a server longer than this after its last answer. A filter looks
 * like a server that was stopped beside others, so it explains an hour.
 */
const KNOWN_MS = 24 * 60 * MINUTE_MS;
const FILTERED_KNOWN_MS = 60 * MINUTE_MS;

// Intervals, as multiples of the healthy one.
const LONG_EMPTY = 5;
const MAX_LIMITED = 15;
const CHALLENGE_ONLY = 10;
const FILTERED = 15;
const MAX_FILTERED = 30;
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

/** What labels and intervals take from an answer. */
export interface Answer {
  /** Packets were lost on the way. */
  lost: boolean;
  empty: boolean;
  /** It said what it said before, and cannot have meant it. */
  same: boolean;
}

/** What they take from a failure. */
export interface Failure {
  outcome: ProbeOutcome;
  signals?: ProbeSignals__Output | null;
}

/** How a server is to be treated from now on. */
export type Standing = Pick<ServerRecord, 'label' | 'intervalMs' | 'history'>;

/** Whether a label explains why probes are not answered. */
export function explainsSilence(label: Label): boolean {
  return label === 'rate_limited' || label === 'challenge_only' || label === 'filtered';
}

/** Adds signals of loss, one bit each; none shifts in a bit that says so. */
function withSigns(losses: number, signals: number): number {
  return signals === 0 ? (losses << 1) & 0xff : ((losses << signals) | ((1 << signals) - 1)) & 0xff;
}

function count(bits: number): number {
  let ones = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) ones++;
  return ones;
}

function ticks(from: number, to: number, widthMs: number): number {
  return Math.max(0, Math.floor(to / widthMs) - Math.floor(from / widthMs));
}

/** Labels a server rate limited, or doubles its interval once more; what told is not counted again. */
function limited(server: ServerRecord, history: ProbeHistory, probeIntervalMs: number): Standing {
  const doubled = 2 * Math.max(server.intervalMs, probeIntervalMs);
  return {
    label: 'rate_limited',
    intervalMs: Math.min(doubled, MAX_LIMITED * probeIntervalMs),
    history: { ...history, losses: 0, clean: 0 },
  };
}

/** The label, the interval and what is remembered after a probe that was answered. */
export function afterAnswer(
  server: ServerRecord,
  { lost, empty, same }: Answer,
  now: number,
  probeIntervalMs: number,
): Standing {
  const before = server.history;
  const history: ProbeHistory = {
    losses: withSigns(before.losses, lost ? 1 : 0),
    clean: lost || (same && server.label === 'cached') ? 0 : Math.min(before.clean + 1, CLEAN_TO_HALVE),
    reading: 'gone',
    streak: 0,
    emptyTicks: empty ? emptyTicks(before, server, now) : 0,
    sameTicks: same ? sameTicks(before, server, now) : 0,
  };
  if (count(history.losses) >= SIGNS_OF_LIMIT) return limited(server, history, probeIntervalMs);
  const rest = (history.emptyTicks === LONG_EMPTY_TICKS ? LONG_EMPTY : 1) * probeIntervalMs;
  if (server.label !== 'none') return eased(server, history, rest, probeIntervalMs);
  if (history.sameTicks < CACHED_TICKS) return { label: 'none', intervalMs: rest, history };
  return { label: 'cached', intervalMs: CACHED * probeIntervalMs, history: { ...history, clean: 0 } };
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
  const current = Math.min(Math.max(server.intervalMs, rest), MAX_FILTERED * probeIntervalMs);
  if (history.clean < CLEAN_TO_HALVE) return { label: server.label, intervalMs: current, history };
  const half = Math.ceil(current / 2);
  if (half > rest) return { label: server.label, intervalMs: half, history: { ...history, clean: 0 } };
  return { label: 'none', intervalMs: rest, history: { ...history, clean: 0, losses: 0, sameTicks: 0 } };
}

/** The same after a probe that failed, and whether the server counts as offline now. */
export function afterFailure(
  server: ServerRecord,
  failure: Failure,
  now: number,
  probeIntervalMs: number,
): Standing & { offline: boolean } {
  const { label, intervalMs, history: before } = server;
  const reading = readingOf(server, failure, now);
  const earlier = server.failures > 0 && before.reading === reading ? before.streak : 0;
  const streak = Math.min(earlier + weightOf(server, failure, reading, now), TO_OFFLINE_WHEN_LABELLED);
  if (reading === 'gone' && streak >= (explainsSilence(label) ? TO_OFFLINE_WHEN_LABELLED : TO_VERDICT)) {
    // What a label held back does not count for the backoff, which begins now.
    const inRow = server.status === 'offline' && !explainsSilence(label) ? streak : TO_VERDICT;
    return {
      offline: true,
      label: 'none',
      intervalMs: backoffMs(inRow - TO_VERDICT, probeIntervalMs),
      history: { ...noHistory, reading, streak: inRow },
    };
  }
  const silent = failure.outcome === 'PROBE_OUTCOME_NO_REPLY';
  // That others drop with it tells of a limit by itself; that it was silent does so only if it answers in between.
  const losses = silent ? withSigns(before.losses, reading === 'dropped' ? 2 : 1) : before.losses;
  const history: ProbeHistory = { ...before, losses, clean: 0, reading, streak };
  const standing = { offline: false, label, intervalMs, history };
  if (reading === 'challenged' && streak >= TO_VERDICT) {
    return { ...standing, label: 'challenge_only', intervalMs: CHALLENGE_ONLY * probeIntervalMs };
  }
  if (
    reading === 'witnessed' &&
    streak >= (label === 'rate_limited' ? TO_VERDICT_WHEN_LIMITED : TO_VERDICT)
  ) {
    const doubled = label === 'filtered' ? Math.min(2 * intervalMs, MAX_FILTERED * probeIntervalMs) : 0;
    return { ...standing, label: 'filtered', intervalMs: Math.max(doubled, FILTERED * probeIntervalMs) };
  }
  const mayBeLimited = reading === 'dropped' || label === 'rate_limited';
  if (silent && mayBeLimited && count(losses) >= SIGNS_OF_LIMIT) {
    return { offline: false, ...limited(server, history, probeIntervalMs) };
  }
  return standing;
}

/** Nothing has been known of it for so long that no explanation counts. */
function forgotten({ label, lastOnlineAt, insertedAt }: ServerRecord, now: number): boolean {
  const known = label === 'filtered' ? FILTERED_KNOWN_MS : KNOWN_MS;
  return now - Math.max(lastOnlineAt, insertedAt) >= known;
}

function readingOf(server: ServerRecord, { outcome, signals }: Failure, now: number): Reading {
  // Where something else than silence came back, it came from there.
  if (outcome !== 'PROBE_OUTCOME_NO_REPLY' || !signals || forgotten(server, now)) return 'gone';
  if (signals.challenged) return 'challenged';
  return server.status === 'online' ? 'witnessed' : 'gone';
}

/**
 * A label is held against silence of which nothing is known (7 probes) longer than against silence of the whole host,
 * or a refusal (2, where limited 4).
 */
function weightOf(
  server: ServerRecord,
  { outcome, signals }: Failure,
  reading: Reading,
  now: number,
): number {
  if (reading !== 'gone' || !explainsSilence(server.label)) return 1;
  const hostSilent = false;
  if (outcome === 'PROBE_OUTCOME_NO_REPLY' && !hostSilent && !forgotten(server, now)) return 1;
  return server.label === 'rate_limited' ? 2 : 4;
}
