/** CPU per answer or probe in microseconds, by process. */
export type Cost = Readonly<Record<string, number>>;

/** One value for each side of a comparison: the other checkout, then this one. */
export type Pair<T> = readonly [T, T];

/** Does the same work for both sides at the same time. */
export function both<From, To>(
  [one, other]: Pair<From>,
  work: (side: From) => Promise<To>,
): Promise<Pair<To>> {
  return Promise.all([work(one), work(other)]);
}

/** Receives the costs measured for a row in one round. */
export type Found = (row: string, costs: Pair<Cost>) => void;
