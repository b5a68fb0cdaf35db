/** CPU time that each process uses for a response or probe, in microseconds, keyed by the name of the process. */
export type Cost = Readonly<Record<string, number>>;

/** One value for each of the two compared checkouts of gsq: first for the baseline, then for this checkout. */
export type Pair<T> = readonly [T, T];

/** Runs `work` at the same time for both checkouts of gsq that the benchmark compares. Resolves to both results. */
export function both<From, To>(
  [one, other]: Pair<From>,
  work: (side: From) => Promise<To>,
): Promise<Pair<To>> {
  return Promise.all([work(one), work(other)]);
}

/**
 * Callback for one measured row of the comparison table: the row name, and the CPU costs of both compared checkouts.
 */
export type Found = (row: string, costs: Pair<Cost>) => void;
