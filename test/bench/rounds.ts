/**
 * Returns the median. For an even number of values, returns the upper of the two middle values. Returns undefined if
 * there are no values or if a value is undefined.
 */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined);
  if (known.length !== values.length) return undefined;
  return known.sort((a, b) => a - b)[known.length >> 1];
}

/**
 * Number of warm-up rounds, whose results are not counted. During these rounds, the caches are filled and V8 compiles
 * the code.
 */
const WARM_UP = 2;

/**
 * Runs all measurements once in each round. If another process slows down the machine for a while, this affects all
 * measurements, and not only one of them. Resolves to the results of each measurement, without warm-up rounds.
 */
export async function inTurn<Name extends string, Result>(
  things: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(things) as Name[];
  const results = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const name of names) {
      const result = await things[name]();
      if (round >= 0) results[name].push(result);
    }
  }
  return results;
}
