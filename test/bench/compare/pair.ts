/** CPU time for each response or probe, in microseconds, keyed by process. */
export type Cost = Readonly<Record<string, number>>;

/**
 * One value for each of the two compared checkouts. In the results, the first value belongs to the baseline checkout,
 * and the second value to the checkout that contains this file.
 */
export type Pair<T> = readonly [T, T];

/** Runs `work` for both compared checkouts at the same time. Resolves to both results. */
export function both<From, To>(
  [one, other]: Pair<From>,
  work: (side: From) => Promise<To>,
): Promise<Pair<To>> {
  return Promise.all([work(one), work(other)]);
}

/**
 * Function that receives the CPU costs of both checkouts for one row of the comparison table, measured in one round.
 */
export type Found = (row: string, costs: Pair<Cost>) => void;
