export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the square of the standard error of the mean of `values`. */
function errorSquared(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return squares / (values.length - 1) / values.length;
}

/**
 * Returns Welch's t of two samples: the difference of their means, divided by the standard error of this difference.
 * The tool dudect (Reparaz, Balasch and Verbauwhede 2017) regards timings as different if |t| is above 4.5.
 */
export function welchT(left: readonly number[], right: readonly number[]): number {
  return (mean(left) - mean(right)) / Math.sqrt(errorSquared(left) + errorSquared(right));
}
