export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the squared standard error of the mean. */
function errorSquared(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return squares / (values.length - 1) / values.length;
}

/**
 * Returns Welch's t of two samples: the difference of the means, divided by its standard error. Above 4.5 in
 * absolute value, dudect (Reparaz, Balasch and Verbauwhede 2017) regards two timings as different.
 */
export function welchT(left: readonly number[], right: readonly number[]): number {
  return (mean(left) - mean(right)) / Math.sqrt(errorSquared(left) + errorSquared(right));
}
