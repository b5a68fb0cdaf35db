/**
 * Returns the median, for an even count the upper one. Undefined if there are no values or one of them could
 * not be measured.
 */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined);
  if (known.length !== values.length) return undefined;
  return known.sort((a, b) => a - b)[known.length >> 1];
}

/** Number of warm-up rounds that are not counted: caches fill and code is compiled. */
const WARM_UP = 2;

/**
 * Measures several things in turn, round by round, so that disturbances of the machine affect all of them.
 * Returns the results of each in order of rounds, without warm-up rounds.
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
