import { CorruptHourError } from '../../history/bit-stream.ts';
import { decodeFigures, encodeFigures, type Slots } from '../../history/figures-coding.ts';
import type { Figures, SealedHour } from '../../history/history-store.ts';
import { decodeHour } from '../../history/hour-coding.ts';
import { rollUp, sumFigures } from '../../history/rollup.ts';
import type { Sample } from '../../history/sample.ts';
import { DAY_MS, HOUR_MS, type Period, QUARTER_MS } from './periods.ts';

const QUARTERS = DAY_MS / QUARTER_MS;

/** Decodes the samples of an hour. Damaged hours have no samples. */
export function samplesOf(sealed: SealedHour): Sample[] {
  try {
    return decodeHour(sealed);
  } catch (error) {
    if (error instanceof CorruptHourError) return [];
    throw error;
  }
}

/** Returns the slots of the quarter hours of a day. */
function quartersOf(day: number): Slots {
  return { from: day, count: QUARTERS, slotMs: QUARTER_MS };
}

/** Returns the slots of the days of a month. */
function daysOf({ from, to }: Pick<Period, 'from' | 'to'>): Slots {
  return { from, count: (to - from) / DAY_MS, slotMs: DAY_MS };
}

function known(figures: readonly (Figures | undefined)[]): Figures[] {
  return figures.filter(each => each !== undefined);
}

/** Decodes the known quarter hours of a day. */
export function decodeQuarters(day: number, bytes: Buffer): Figures[] {
  return known(decodeFigures(quartersOf(day), bytes));
}

/** Decodes the known days of a month. */
export function decodeDays(month: Period, bytes: Buffer): Figures[] {
  return known(decodeFigures(daysOf(month), bytes));
}

/** The stored data of one server and one day, from which the day is rolled up. A day can be rolled up again. */
export interface StoredDay {
  /** Begin of the day, Unix ms. */
  readonly day: number;
  /** The stored hours that reach into the day, the oldest first. */
  readonly hours: readonly SealedHour[];
  /** Quarter hours and days that are stored already. */
  readonly quarters: Buffer | undefined;
  readonly month: Buffer | undefined;
  readonly period: Period;
  /** Samples before this time, and figures that end before it, belong to a server that was removed. Unix ms. */
  readonly removedAt: number;
  /** True if entries of a calendar hour can be missing: they are too old, or their directory was damaged. */
  readonly isMissing: (hour: number) => boolean;
  /** Number of calendar hours before a quarter hour whose entries can matter for it. */
  readonly hoursBefore: number;
}

/**
 * Returns the quarter hours of a day. The samples that hold in a quarter hour are in the entries of its calendar hour and
 * of `hoursBefore` hours before. If one of these can be missing, a stored quarter hour is kept if it knows more time than
 * the computed one. If none can, the computed one is right even if it knows less: a late hour can end an earlier sample
 * that held for long.
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
    if (!before.some(each => isMissing(each) && !present.has(each))) return span;
    return (older[i]?.knownMs ?? 0) > (span?.knownMs ?? 0) ? older[i] : span;
  });
}

/**
 * Rolls up a day. Returns the new content of the quarter hours and of the days of the month; undefined if nothing is
 * known of the day. Rolling up the same hours again gives the same content, and a late hour only adds.
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
