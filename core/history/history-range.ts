import { ServiceError } from '../../proto/service-error.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from './units.ts';

/** Maximum number of time intervals (steps) into which one answer about the history of a server is divided. */
export const MAX_STEPS = 2_000;

/**
 * How long the history keeps its data, in ms. `samplesMs`: for samples (the results of single probes). `quartersMs`:
 * for the uptime and player figures of each quarter hour.
 */
export interface Retention {
  readonly samplesMs: number;
  readonly quartersMs: number;
}

/**
 * The time range of a history answer, and the length of the steps into which the range is divided. `from` and `to` are
 * Unix ms and multiples of `stepMs`.
 */
export interface HistoryRange {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

/** Latest time that a request can contain: the end of the year 9999, Unix ms. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
/** Longest step (time interval) that a history request may ask for: ten years. */
const MAX_STEP_MS = 3_660 * DAY_MS;
const FINE_STEPS = [1, 2, 5, 10].map(minutes => minutes * MINUTE_MS);
const QUARTER_STEPS = [1, 2, 4, 8, 12, 24, 48].map(quarters => quarters * QUARTER_MS);
const DAY_STEPS = [1, 7, 28, 365].map(days => days * DAY_MS);

/** Returns the error for a parameter of a history request that is not valid. `message` says how to correct it. */
export function badParameter(path: string, message: string): ServiceError {
  return new ServiceError('QUERY_1', `The parameter "${path}" ${message}.`, {
    violations: [{ path, message }],
  });
}

/**
 * Returns the time range (Unix ms) and the step of a history request. The default is the last 24 hours, with the
 * shortest step that is stored for the whole range. Throws ServiceError QUERY_1 for an invalid parameter or more than
 * MAX_STEPS steps.
 */
export function historyRange(
  wish: { from: number | undefined; to: number | undefined; step: string },
  retention: Retention,
  now: number,
): HistoryRange {
  const to = checkedTime('to', wish.to ?? now);
  const from = checkedTime('from', wish.from ?? Math.max(to - DAY_MS, 0));
  if (from >= to) throw badParameter('from', 'must be earlier than "to"');
  if (wish.step === '') return shortestStep(from, to, retention, now);
  const stepMs = parseStep(wish.step);
  const range = aligned(from, to, stepMs);
  const count = countSteps(range);
  if (count <= MAX_STEPS) return range;
  const seconds = shortestStep(from, to, retention, now).stepMs / 1_000;
  throw badParameter(
    'step',
    `gives ${count} steps, and an answer has at most ${MAX_STEPS}; use a step of at least ${seconds}s, or a shorter range`,
  );
}

/** Returns the number of steps (time intervals of equal length) in a range of history. */
export function countSteps({ from, to, stepMs }: HistoryRange): number {
  return (to - from) / stepMs;
}

function aligned(from: number, to: number, stepMs: number): HistoryRange {
  return { from: Math.floor(from / stepMs) * stepMs, to: Math.ceil(to / stepMs) * stepMs, stepMs };
}

function checkedTime(path: string, ms: number): number {
  if (ms >= 0 && ms <= LAST_MS) return ms;
  throw badParameter(path, 'must be a time of the years 1970 to 9999');
}

function parseStep(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const stepMs = Number(digits) * (UNIT_MS[unit] ?? 0);
  if (stepMs > 0 && stepMs <= MAX_STEP_MS && stepMs % MINUTE_MS === 0) return stepMs;
  throw badParameter(
    'step',
    'must be a multiple of a minute: a number and s, m, h or d, such as 60s, 900s or 1d; at most 3660d',
  );
}

function shortestStep(from: number, to: number, retention: Retention, now: number): HistoryRange {
  const age = now - from;
  const steps = [
    ...(age <= retention.samplesMs ? FINE_STEPS : []),
    ...(age <= retention.quartersMs ? QUARTER_STEPS : []),
    ...DAY_STEPS,
  ];
  for (const stepMs of steps) {
    const range = aligned(from, to, stepMs);
    if (countSteps(range) <= MAX_STEPS) return range;
  }
  throw badParameter('from', 'and "to" are too far apart; use a shorter range');
}
