import type { ListPosition, Sort } from './search-query.ts';

/**
 * Returns a function that compares two positions of a sorted list of servers. The function returns a negative number if
 * the first position is earlier in the list. The order is the same as in the search index (`rowOrder`).
 */
export function positionOrder(sort: Sort): (a: ListPosition, b: ListPosition) => number {
  const direction = sort === 'players' || sort === '-name' ? -1 : 1;
  const compareFirst =
    sort === 'name' || sort === '-name'
      ? (a: ListPosition, b: ListPosition) => compareBytes(a.words, b.words)
      : (a: ListPosition, b: ListPosition) => a.players - b.players;
  return (a, b) =>
    direction * compareFirst(a, b) || compareUnits(a.gameId, b.gameId) || compareBytes(a.address, b.address);
}

/** Compares two texts by their bytes in UTF-8. */
function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Compares two texts by their UTF-16 code units, as `Array.prototype.sort` does. */
function compareUnits(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
