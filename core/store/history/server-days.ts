import { decodeFigures, encodeFigures, type Slots } from '../../history/figures-coding.ts';
import type { Figures, SealedHour } from '../../history/history-store.ts';
import { samplesOf } from '../../history/hour-coding.ts';
import { rollUp, sumFigures } from '../../history/rollup.ts';
import { DAY_MS, HOUR_MS, type Period, QUARTER_MS } from './periods.ts';

const QUARTERS = DAY_MS / QUARTER_MS;

/**
 * Returns the slots (equal pieces of time) into which a day is divided: its quarter hours. `day`: start of the day,
 * Unix ms.
 */
function quartersOf(day: number): Slots {
  return { from: day, count: QUARTERS, slotMs: QUARTER_MS };
}

/** Returns the slots (equal pieces of time) into which a month is divided: its days. */
function daysOf({ from, to }: Pick<Period, 'from' | 'to'>): Slots {
  return { from, count: (to - from) / DAY_MS, slotMs: DAY_MS };
}

function known(figures: readonly (Figures | undefined)[]): Figures[] {
  return figures.filter(each => each !== undefined);
}

/**
 * Decodes the online time and the players of a server in each quarter hour of a day. Leaves out unknown quarter hours.
 */
export function decodeQuarters(day: number, bytes: Buffer): Figures[] {
  return known(decodeFigures(quartersOf(day), bytes));
}

/** Decodes the online time and the players of a server on each day of a month. Leaves out unknown days. */
export function decodeDays(month: Period, bytes: Buffer): Figures[] {
  return known(decodeFigures(daysOf(month), bytes));
}

/**
 * The stored data of one server from which its online time and players on a day are computed (roll-up). The roll-up of
 * a day can be repeated, for example if samples are stored late.
 */
export interface StoredDay {
  /** Start of the day, Unix ms. */
  readonly day: number;
  /**
   * The stored samples from which the figures of the day (online time and players) are computed, grouped by hour, the
   * oldest first. Hours shortly before the day are included, because their last samples can still be valid when the day
   * starts.
   */
  readonly hours: readonly SealedHour[];
  /**
   * The stored online time and player figures of the server for each quarter hour of the day, encoded. Undefined if
   * none are stored.
   */
  readonly quarters: Buffer | undefined;
  readonly month: Buffer | undefined;
  readonly period: Period;
  /** Time when the server was last removed, Unix ms. Samples and figures from before this time are ignored. */
  readonly removedAt: number;
  /**
   * True if samples of a calendar hour can be missing in the store, because they were deleted due to their age or their
   * directory was damaged.
   */
  readonly isMissing: (hour: number) => boolean;
  /**
   * Number of earlier hours whose samples are also read for the figures of a quarter hour. A sample is valid until the
   * next sample, but at most for its `holdMs`. So a sample of an earlier hour can be valid in the quarter hour.
   */
  readonly hoursBefore: number;
}

/**
 * Computes a server's figures (online time and players) for each quarter hour of a day. The samples that count for a
 * quarter hour are from the same hour, or from one of the `hoursBefore` previous hours.
 */
function quartersOfDay(stored: StoredDay): (Figures | undefined)[] {
  const { day, hours, quarters, removedAt, isMissing, hoursBefore } = stored;
  const samples = hours.flatMap(samplesOf).filter(({ at }) => at >= removedAt);
  const computed = rollUp(samples, day, QUARTER_MS, QUARTERS);
  if (!quarters) return computed;
  const present = new Set(hours.map(({ hour }) => hour));
  const older = decodeFigures(quartersOf(day), quarters);
  return computed.map((span, i) => {
    const hour = day + Math.floor((i * QUARTER_MS) / HOUR_MS) * HOUR_MS;
    const before = Array.from({ length: hoursBefore + 1 }, (_, i) => hour - i * HOUR_MS);
    // If no samples are missing, uses the computed figures. The stored figures can cover more time and still be wrong:
    // if a sample was stored after these figures, it shortens the time for which the sample before it is valid.
    if (!before.some(each => isMissing(each) && !present.has(each))) return span;
    // If samples are missing, the computed figures can be incomplete. In this case, uses the figures (computed or
    // stored) that cover more time.
    return (older[i]?.knownMs ?? 0) > (span?.knownMs ?? 0) ? older[i] : span;
  });
}

/**
 * Computes the online time and player figures of one server for a day. Returns the encoded figures for each quarter
 * hour of this day, and for each day of its month. Returns undefined if nothing is known about the day.
 */
export function rollUpDay(stored: StoredDay): { quarters: Buffer; month: Buffer } | undefined {
  const { day, period, removedAt } = stored;
  const own = (span: Figures | undefined): Figures | undefined =>
    span && span.to > removedAt ? span : undefined;
  const quarters = quartersOfDay(stored).map(own);
  const sum = sumFigures(quarters, day, day + DAY_MS);
  if (!sum) return undefined;
  const slots = daysOf(period);
  const days = stored.month
    ? decodeFigures(slots, stored.month).map(own)
    : new Array<Figures | undefined>(slots.count).fill(undefined);
  days[(day - period.from) / DAY_MS] = sum;
  return { quarters: encodeFigures(quartersOf(day), quarters), month: encodeFigures(slots, days) };
}
