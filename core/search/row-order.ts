import { FACTS } from './row-facts.ts';
import type { Sort } from './search-query.ts';
import { addressLength, CELL_HEADER, type ServerRows, wordsLength } from './server-rows.ts';
import { offsetOf, pageIndexOf } from './text-pages.ts';

/**
 * In a list sorted by name, the rank of a server consists of this number of bytes from the start of its name. Whole
 * names are compared only if two ranks are equal.
 */
const RANK_BYTES = 3;
/** Upper limit of the number of games in the search index: the column `gameOf` has 16 bits for each server. */
const GAMES = 2 ** 16;

/**
 * The order of found servers (rows of the search index). Each server has a rank, which is a number. A search compares
 * texts such as names only if two ranks are equal. A search of 400,000 servers by fewest players takes 14.6 ms; without
 * ranks, it takes 18.1 ms.
 */
export interface RowOrder {
  /**
   * Writes the ranks of the first `count` servers (rows) in `found` to `ranks`. A server with a smaller rank is earlier
   * in the list.
   */
  rankRows(found: Uint32Array, count: number, ranks: Float64Array): void;
  /**
   * Compares two servers (rows) with equal ranks by their texts. A list sorted by name compares names, games and
   * addresses; any other list compares only addresses. Returns a negative number if `a` is earlier in the list.
   */
  compareTexts(a: number, b: number): number;
}

/**
 * Returns the order in which a search lists the found servers (rows of the search index). If two servers are equal in
 * the field of `sort`, their server keys decide. `gameIds`: the ids of the games; the array index is the game number in
 * the column `gameOf`.
 */
export function rowOrder(rows: ServerRows, sort: Sort, gameIds: readonly string[]): RowOrder {
  const games = gameRanks(gameIds);
  const compareAddresses = addressOrder(rows);
  const isByName = sort === 'name' || sort === '-name';
  // The same comparison function serves both directions: factor 1 for ascending, -1 for descending order. With one
  // function for each direction, V8 would optimise the calling loops less well.
  const direction = sort === 'players' || sort === '-name' ? -1 : 1;
  return isByName
    ? nameOrder(rows, direction, games, compareAddresses)
    : playersOrder(rows, direction, games, compareAddresses);
}

function playersOrder(
  { facts, gameOf }: ServerRows,
  direction: number,
  games: Uint16Array,
  compareAddresses: RowOrder['compareTexts'],
): RowOrder {
  const { shift } = FACTS.players;
  const factor = direction * GAMES;
  return {
    rankRows(found, count, ranks) {
      for (let i = 0; i < count; i++) {
        const row = found[i] as number;
        ranks[i] = (games[gameOf[row] as number] as number) + factor * ((facts[row] as number) >>> shift);
      }
    },
    compareTexts: compareAddresses,
  };
}

function nameOrder(
  rows: ServerRows,
  direction: number,
  games: Uint16Array,
  compareAddresses: RowOrder['compareTexts'],
): RowOrder {
  const gameRank = (row: number): number => games[rows.gameOf[row] as number] as number;
  return {
    rankRows(found, count, ranks) {
      for (let i = 0; i < count; i++) ranks[i] = direction * wordsRank(rows, found[i] as number);
    },
    compareTexts: (a, b) =>
      direction * compareWords(rows, a, b) || gameRank(a) - gameRank(b) || compareAddresses(a, b),
  };
}

/** Returns the position of each element of `gameIds` in the sorted list of these ids. */
function gameRanks(gameIds: readonly string[]): Uint16Array {
  const sorted = [...gameIds].sort();
  return Uint16Array.from(gameIds, game => sorted.indexOf(game));
}

/** Returns a function that compares two rows by the address of their servers. */
function addressOrder({ cells, texts: { pages } }: ServerRows): (a: number, b: number) => number {
  return (a, b) => {
    const positionA = cells[a] as number;
    const positionB = cells[b] as number;
    const pageA = pages[pageIndexOf(positionA)] as Buffer;
    const pageB = pages[pageIndexOf(positionB)] as Buffer;
    const startA = addressStart(pageA, offsetOf(positionA));
    const startB = addressStart(pageB, offsetOf(positionB));
    const endA = startA + addressLength(pageA, offsetOf(positionA));
    const endB = startB + addressLength(pageB, offsetOf(positionB));
    return compareBytes(pageA, startA, endA, pageB, startB, endB);
  };
}

function addressStart(page: Buffer, at: number): number {
  return at + CELL_HEADER + wordsLength(page, at) + (page[at + 2] as number) + (page[at + 3] as number);
}

/**
 * Returns the first RANK_BYTES bytes of a server's normalised name as a number. A shorter name is padded with zeros.
 */
function wordsRank({ cells, texts: { pages } }: ServerRows, row: number): number {
  const position = cells[row] as number;
  const page = pages[pageIndexOf(position)] as Buffer;
  const start = offsetOf(position) + CELL_HEADER;
  const length = wordsLength(page, offsetOf(position));
  let rank = 0;
  for (let i = 0; i < RANK_BYTES; i++) rank = rank * 256 + (i < length ? (page[start + i] as number) : 0);
  return rank;
}

function compareWords({ cells, texts: { pages } }: ServerRows, a: number, b: number): number {
  const positionA = cells[a] as number;
  const positionB = cells[b] as number;
  const pageA = pages[pageIndexOf(positionA)] as Buffer;
  const pageB = pages[pageIndexOf(positionB)] as Buffer;
  const atA = offsetOf(positionA);
  const atB = offsetOf(positionB);
  const startA = atA + CELL_HEADER;
  const startB = atB + CELL_HEADER;
  const endA = startA + wordsLength(pageA, atA);
  const endB = startB + wordsLength(pageB, atB);
  return compareBytes(pageA, startA, endA, pageB, startB, endB);
}

/** Compares two byte strings. For short strings, this loop is faster than the call of Buffer.compare. */
function compareBytes(
  a: Buffer,
  startA: number,
  endA: number,
  b: Buffer,
  startB: number,
  endB: number,
): number {
  const end = startA + Math.min(endA - startA, endB - startB);
  for (let i = startA, j = startB; i < end; i++, j++) {
    const difference = (a[i] as number) - (b[j] as number);
    if (difference !== 0) return difference;
  }
  return endA - startA - (endB - startB);
}
