/** CPU time for each response or probe, in microseconds, keyed by process. */
export type Cost = Readonly<Record<string, number>>;

/**
 * One value for each side of a comparison. In the results, the first value belongs to the other checkout, and the
 * second value to this checkout.
 */
export type Pair<T> = readonly [T, T];

/** Runs `work` for both sides at the same time. Resolves to both results. */
export function both<From, To>(
  [one, other]: Pair<From>,
  work: (side: From) => Promise<To>,
): Promise<Pair<To>> {
  return Promise.all([work(one), work(other)]);
}

/** Function that receives the CPU costs of both sides for one table row, measured in one round. */
export type Found = (row: string, costs: Pair<Cost>) => void;
