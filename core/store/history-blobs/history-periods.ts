import {
  DAY_MS,
  periodAt,
  periodOf,
  periodsBetween,
  REMOVED as REMOVED_PATH,
  type Tier,
} from '../history/periods.ts';

/**
 * Additional time for which the history keeps the samples of a day that has no daily summary yet, ms. This time begins
 * when the samples reach their normal retention. Because of it, no day of the history is lost if all cores are stopped
 * for a shorter time.
 */
export const UNROLLED_MS = 32 * DAY_MS;
/**
 * Name of the blob (stored value) that contains the times at which servers of a bucket (group of servers) were
 * removed.
 */
export const REMOVED = 'removed';

/** How long each resolution of the history is kept, ms. */
export type Retention = Readonly<Record<'minutes' | 'quarters' | 'days', number>>;

/**
 * One month of incident history. `name`: name of the blob (the stored value) that contains the incidents of this month.
 */
export interface IncidentMonth {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the calendar month that contains the time `at` (Unix ms), with the name of the blob for the incidents of this
 * month.
 */
export function incidentMonth(at: number): IncidentMonth {
  const { path, from, to } = periodOf('days', at);
  return { name: path.replace('days/', 'incidents/'), from, to };
}

/** Returns the names of all blobs (stored values of the history) that a bucket can have at the time `now`. */
export function namesOfHistory(retention: Retention, now: number): string[] {
  const end = now + DAY_MS;
  const pathsOf = (tier: Tier, from: number): string[] =>
    periodsBetween(tier, from, end).map(({ path }) => path);
  const days = pathsOf('days', now - retention.days);
  return [
    ...pathsOf('minutes', now - retention.minutes - UNROLLED_MS),
    ...pathsOf('quarters', now - retention.quarters),
    ...days,
    ...days.map(path => path.replace('days/', 'incidents/')),
    REMOVED,
  ];
}

/**
 * Returns the path of a directory in a history on disk: the directory with the same data as the blob `name`. A blob is
 * a value in a shared store.
 */
export function pathOfBlob(name: string): string {
  return name === REMOVED ? REMOVED_PATH : name.replace('incidents/', 'days/');
}

/**
 * Returns the expiry time (Unix ms) of a blob (stored value of the history) if data is appended to it at the time
 * `now`.
 */
export function expiryOf(name: string, retention: Retention, now: number): number {
  const period = periodAt(name.replace('incidents/', 'days/'));
  if (!period) return now + retention.days + UNROLLED_MS;
  return period.to + retention[period.tier] + (period.tier === 'minutes' ? UNROLLED_MS : 0);
}
