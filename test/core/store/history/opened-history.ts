import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { SealedHour } from '../../../../core/history/history-store.ts';
import { appendSample, beginHour, hourOf, sealedHour } from '../../../../core/history/hour-coding.ts';
import { hourPhaseOfKey } from '../../../../core/history/hour-phase.ts';
import type { Sample } from '../../../../core/history/sample.ts';
import { History, type HistoryOptions } from '../../../../core/store/history/history.ts';
import type { Clock } from '../../clock.ts';

/** Length of a day, ms. */
export const DAY = 86_400_000;
/** Length of an hour, ms. */
export const HOUR = 3_600_000;
/** Length of a minute, ms. */
export const MINUTE = 60_000;
/** Start of the first day with samples (midnight UTC), Unix ms. */
export const BEGIN = Date.UTC(2026, 10, 20);
/**
 * Key of the test server. The history stores samples in blocks of one hour. For this server, a block begins 52 minutes
 * and 15 seconds after each full hour, for example at 13:52:15.
 */
export const KEY = 'csgo 203.0.113.1:27015';
/**
 * Longest time for which one sample (probe result) counts as the status of its server, ms. Applies to the default
 * probe interval.
 */
export const LONGEST_HOLD = 1.5 * HOUR;
/**
 * How long the history keeps its data, ms. `minutes`: samples; `quarters`: summaries of quarter hours; `days`:
 * summaries of days. These are the defaults.
 */
export const RETENTION = { minutes: DAY, quarters: 30 * DAY, days: 365 * DAY };

/**
 * Opens a history and closes it when the test ends. If no monotonic clock is given, `clock` also serves as the
 * monotonic clock.
 */
export function openHistory(
  t: TestContext,
  directory: string,
  clock: Clock,
  options: Partial<Pick<HistoryOptions, 'monotonic' | 'longestHoldMs' | 'retention'>> = {},
): History {
  const history = History.open({
    directory,
    retention: RETENTION,
    longestHoldMs: LONGEST_HOLD,
    now: clock.now,
    monotonic: clock.now,
    log: pino({ level: 'silent' }),
    pagePauseMs: 0,
    ...options,
  });
  t.after(() => history.close());
  return history;
}

/** Returns the sample of an online server. */
export function onlineAt(at: number, players: number): Sample {
  return { at, state: 'online', players, maxPlayers: 32, bots: 0, holdMs: 90_000 };
}

/** Returns the sample of an offline server. */
export function offlineAt(at: number): Sample {
  return { at, state: 'offline', players: undefined, maxPlayers: undefined, bots: 0, holdMs: 90_000 };
}

/** Groups the samples of a server by hour, and encodes each group. `samples`: sorted by time. */
export function hoursOf(key: string, samples: readonly Sample[]): SealedHour[] {
  const phase = hourPhaseOfKey(key);
  const open = new Map<number, Uint8Array>();
  for (const sample of samples) {
    const hour = hourOf(sample.at, phase);
    const before = open.get(hour);
    open.set(hour, before ? appendSample(before, sample, phase) : beginHour(sample, phase));
  }
  return [...open.values()].map(sealedHour);
}

/** Returns one sample for each minute from `from` to `to`. */
export function everyMinute(from: number, to: number, sampleAt: (at: number) => Sample): Sample[] {
  return Array.from({ length: (to - from) / MINUTE }, (_, i) => sampleAt(from + i * MINUTE));
}
