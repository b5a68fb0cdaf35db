/** CPU microseconds of an answer or a probe, by process. */
export type Cost = Readonly<Record<string, number>>;

/** The same of both sides of a comparison. */
export type Pair<T> = readonly [T, T];

/** Does a piece of work for both sides at once. */
export function both<From, To>(
  [one, other]: Pair<From>,
  work: (side: From) => Promise<To>,
): Promise<Pair<To>> {
  return Promise.all([work(one), work(other)]);
}

/** What was found of a row in one round. */
export type Found = (row: string, costs: Pair<Cost>) => void;
