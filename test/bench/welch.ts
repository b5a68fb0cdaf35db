export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The square of the standard error of the mean. */
function errorSquared(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return squares / (values.length - 1) / values.length;
}

/**
 * Welch's t of two samples: the difference of their means in standard errors of it. Past 4.5 either way, dudect (Reparaz,
 * Balasch and Verbauwhede 2017) takes two timings to differ.
 */
export function welchT(left: readonly number[], right: readonly number[]): number {
  return (mean(left) - mean(right)) / Math.sqrt(errorSquared(left) + errorSquared(right));
}
