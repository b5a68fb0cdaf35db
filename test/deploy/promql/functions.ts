import type { Series } from './series.ts';

function increaseOf({ points }: Series): number | undefined {
  if (points.length < 2) return undefined;
  let [increase, before] = [0, points[0]?.value ?? 0];
  for (const { value } of points.slice(1)) {
    // A counter value below the previous value shows that the counter was reset to 0. In this case, the new value is
    // the increase since the reset.
    increase += value >= before ? value - before : value;
    before = value;
  }
  return increase;
}

function secondsOf({ points }: Series): number {
  return ((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)) / 1000;
}

type RangeFunction = (series: Series, rangeMs: number) => number | undefined;

/** PromQL functions that take a range of samples, keyed by name. They return undefined if there are too few samples. */
export const rangeFunctions: Record<string, RangeFunction> = {
  rate: series => {
    const increase = increaseOf(series);
    return increase === undefined ? undefined : increase / secondsOf(series);
  },
  increase: increaseOf,
  changes: ({ points }) => points.filter(({ value }, i) => i > 0 && value !== points[i - 1]?.value).length,
  max_over_time: ({ points }) => Math.max(...points.map(({ value }) => value)),
};

/** Names of all PromQL functions that the evaluator supports. */
export const functionNames: readonly string[] = [...Object.keys(rangeFunctions), 'histogram_quantile'];

/**
 * Computes `histogram_quantile`, with linear interpolation. `share`: the quantile, such as 0.5. NaN for fewer than two
 * buckets, without a bucket +Inf, or without observations.
 */
export function histogramQuantile(
  share: number,
  buckets: readonly (readonly [bound: number, count: number])[],
): number {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const all = sorted.at(-1)?.[1] ?? 0;
  if (sorted.length < 2 || sorted.at(-1)?.[0] !== Number.POSITIVE_INFINITY || all === 0) return Number.NaN;
  const rank = share * all;
  const i = sorted.findIndex(([, count]) => count >= rank);
  const [bound, count] = sorted[i] ?? [Number.NaN, 0];
  const [below, before] = i > 0 ? (sorted[i - 1] ?? [0, 0]) : [0, 0];
  if (bound === Number.POSITIVE_INFINITY) return below;
  return below + (bound - below) * ((rank - before) / (count - before));
}
