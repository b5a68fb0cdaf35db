/** Length of an hour, ms. */
export const HOUR_MS = 3_600_000;
/** Length of a day, ms. */
export const DAY_MS = 24 * HOUR_MS;
/** Length of a quarter hour, ms. */
export const QUARTER_MS = HOUR_MS / 4;

/** Path of the LevelDB directory with the times at which servers were removed. */
export const REMOVED = 'removed/servers';

/** The resolutions of the history. Each resolution has its own LevelDB directories. */
export const TIERS = ['minutes', 'quarters', 'days'] as const;
/** A resolution of the history: every sample, quarter hours, or days. The history of days also contains incidents. */
export type Tier = (typeof TIERS)[number];

/**
 * Time span of one LevelDB directory of the history, in ms. The resolution `days` is not listed, because its
 * directories cover one calendar month (UTC).
 */
const PERIOD_MS = { minutes: 6 * HOUR_MS, quarters: 3 * DAY_MS };
/**
 * Patterns of the names of the history's LevelDB directories, for each resolution of the history. Examples:
 * `2026-11-24T06` (every sample), `2026-11-24` (quarter hours) and `2026-11` (days).
 */
const NAMES: Record<Tier, RegExp> = {
  minutes: /^(\d{4}-\d\d-\d\dT\d\d)$/,
  quarters: /^(\d{4}-\d\d-\d\d)$/,
  days: /^(\d{4}-\d\d)$/,
};
const NAME_LENGTH: Record<Tier, number> = { minutes: 13, quarters: 10, days: 7 };
const REST_OF_TIME = '0000-01-01T00:00:00.000Z';

/** A span of time that one LevelDB directory of the history covers, at one resolution (`tier`). Times are Unix ms. */
export interface Period {
  readonly tier: Tier;
  readonly from: number;
  readonly to: number;
  /**
   * Path of the LevelDB directory of this period, relative to the directory of the history. Example:
   * `minutes/2026-11-24T06`.
   */
  readonly path: string;
}

/** Returns the start (UTC) of the month that contains the time `at`, moved forward by `months` months. Unix ms. */
function monthBegin(at: number, months = 0): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}

/** Returns the start of the day (UTC) that contains a time. */
export function dayBegin(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/**
 * Returns the LevelDB directory of the history for the time `at` (Unix ms). `tier`: resolution of the history, such as
 * `days`.
 */
export function periodOf(tier: Tier, at: number): Period {
  const length = tier === 'days' ? 0 : PERIOD_MS[tier];
  const from = length === 0 ? monthBegin(at) : Math.floor(at / length) * length;
  const to = length === 0 ? monthBegin(at, 1) : from + length;
  const name = new Date(from).toISOString().slice(0, NAME_LENGTH[tier]);
  return { tier, from, to, path: `${tier}/${name}` };
}

/**
 * Converts the name of a LevelDB directory to its time span. `tier`: resolution of the history. Returns undefined if
 * the name is not valid. Example: `2026-11` is November 2026 in the resolution `days`.
 */
export function namedPeriod(tier: Tier, name: string): Period | undefined {
  if (!NAMES[tier].test(name)) return undefined;
  const at = Date.parse(name + REST_OF_TIME.slice(name.length));
  if (Number.isNaN(at)) return undefined;
  const period = periodOf(tier, at);
  return period.path === `${tier}/${name}` ? period : undefined;
}

/**
 * Returns how long after the end of a period its samples can still affect the figures, ms. The hours of a server can
 * begin at any minute, so the last hour of a period can end up to one hour after the period. The last sample of this
 * hour is valid for up to `longestHoldMs`.
 */
export function reachOfSamples(longestHoldMs: number): number {
  return HOUR_MS + longestHoldMs;
}

/** Returns the days whose roll-up (daily figures) needs the samples between `from` and `to`, the oldest first. */
export function reachedDays({ from, to }: Pick<Period, 'from' | 'to'>, longestHoldMs: number): number[] {
  const first = dayBegin(from);
  const end = to + reachOfSamples(longestHoldMs);
  return Array.from({ length: Math.ceil((end - first) / DAY_MS) }, (_, i) => first + i * DAY_MS);
}

/**
 * Returns the LevelDB directories of the history whose time spans overlap the time from `from` to `to`, the oldest
 * first. `tier`: resolution of the history, such as `days`.
 */
export function periodsBetween(tier: Tier, from: number, to: number): Period[] {
  const periods: Period[] = [];
  for (let at = from; at < to; at = periods.at(-1)?.to ?? to) periods.push(periodOf(tier, at));
  return periods;
}

/**
 * Returns the span of time whose data is in the history directory `path`, such as `minutes/2026-11-24T06`. Returns
 * undefined if `path` is not the path of such a directory.
 */
export function periodAt(path: string): Period | undefined {
  const [tier, name = ''] = path.split('/');
  const known = TIERS.find(each => each === tier);
  return known && namedPeriod(known, name);
}

/**
 * Returns the start of a calendar hour, Unix ms. `path`: directory of the history with the samples of six hours.
 * `slot`: number of the hour in this directory, counted from 0.
 */
export function hourOfSlot(path: string, slot: number): number {
  return (periodAt(path)?.from ?? 0) + slot * HOUR_MS;
}

/**
 * True if a path can be a LevelDB directory of the history: the directory of a period, or the directory of the removed
 * servers.
 */
export function isHistoryPath(path: string): boolean {
  return path === REMOVED || periodAt(path)?.path === path;
}
