/** One measured value and the time of its measurement. */
export interface Point {
  /** Time of the measurement, in seconds since the start of the soak test. */
  at: number;
  value: number;
}

export interface Trend {
  /** Median of the values that were measured after the warm-up. */
  median: number;
  /** Growth of the measured value after the warm-up, along a straight line that is fitted to the measured points. */
  growth: number;
}

/**
 * How a time window of measured values becomes one value. `floor` takes the minimum. It suits memory sizes, because the
 * minimum contains the least garbage.
 */
export type Reduce = 'median' | 'floor';

const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
};

const reducers: Record<Reduce, (values: readonly number[]) => number> = {
  median: middle,
  floor: values => Math.min(...values),
};

/**
 * Divides a series of measured values into time windows of equal duration. Replaces the values of each window by one
 * value at the middle of the window.
 */
function windowed(points: readonly Point[], windows: number, reduce: Reduce): Point[] {
  const from = points[0]?.at ?? 0;
  const length = ((points.at(-1)?.at ?? 0) - from) / windows;
  return Array.from({ length: windows }, (_, i) => {
    const within = points.filter(({ at }) => Math.min(windows - 1, Math.floor((at - from) / length)) === i);
    return { at: from + (i + 0.5) * length, value: reducers[reduce](within.map(({ value }) => value)) };
  }).filter(({ value }) => Number.isFinite(value));
}

/**
 * Returns the slope of measured points: the median of the slopes of all pairs (Theil–Sen estimator). Outliers hardly
 * change it.
 */
function slope(points: readonly Point[]): number {
  const slopes = points.flatMap((a, i) => points.slice(i + 1).map(b => (b.value - a.value) / (b.at - a.at)));
  return slopes.length === 0 ? 0 : middle(slopes);
}

const WINDOWS = 12;

/**
 * Returns the median and the growth of a series of measured points. Ignores the first `warmUp` seconds of the series.
 */
export function trendOf(points: readonly Point[], warmUp: number, reduce: Reduce = 'median'): Trend {
  const measured = points.filter(({ at, value }) => at >= warmUp && Number.isFinite(value));
  const few = windowed(measured, WINDOWS, reduce);
  const seconds = (measured.at(-1)?.at ?? 0) - (measured[0]?.at ?? 0);
  return { median: middle(measured.map(({ value }) => value)), growth: slope(few) * seconds };
}
