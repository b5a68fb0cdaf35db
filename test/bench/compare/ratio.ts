import { mean } from '../welch.ts';

/** A before/after ratio of CPU times, with its confidence interval. */
export interface Ratio {
  ratio: number;
  low: number;
  high: number;
}

/** The 97.5 % quantile of the standard normal distribution. */
const Z = 1.959964;

/**
 * Returns the 97.5 % quantile of Student's t distribution. Adds correction terms to the quantile of the normal
 * distribution (Abramowitz and Stegun, 26.7.5). The error is below 0.3 % with at least 4 degrees of freedom.
 */
export function studentT(degrees: number): number {
  const terms = [
    Z,
    (Z ** 3 + Z) / 4,
    (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96,
    (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384,
  ];
  return terms.reduce((sum, term, power) => sum + term / degrees ** power, 0);
}

/**
 * Returns the geometric mean of the ratios `before[i] / after[i]`, and its 95 % confidence interval (Student's t of the
 * logarithms). Element `i` of both lists belongs to round `i`.
 */
export function pairedRatio(before: readonly number[], after: readonly number[]): Ratio {
  const logs = before.map((value, round) => Math.log(value / (after[round] ?? Number.NaN)));
  const middle = mean(logs);
  const variance = logs.reduce((sum, log) => sum + (log - middle) ** 2, 0) / (logs.length - 1);
  const margin = studentT(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(middle), low: Math.exp(middle - margin), high: Math.exp(middle + margin) };
}
