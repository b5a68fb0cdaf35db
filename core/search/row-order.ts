import { FACTS } from './row-facts.ts';
import type { Sort } from './search-query.ts';
import { addressLength, CELL_HEADER, type ServerRows, wordsLength } from './server-rows.ts';
import { offsetOf } from './text-pages.ts';

/** Returns a function that compares two rows in the order of a list. Rows that are equal in it are sorted by key. */
export function rowOrder(rows: ServerRows, sort: Sort): (a: number, b: number) => number {
  const byKey = keyOrder(rows);
  const { facts } = rows;
  const { shift } = FACTS.players;
  switch (sort) {
    case 'players':
      return (a, b) => ((facts[b] as number) >>> shift) - ((facts[a] as number) >>> shift) || byKey(a, b);
    case '-players':
      return (a, b) => ((facts[a] as number) >>> shift) - ((facts[b] as number) >>> shift) || byKey(a, b);
    case 'name':
      return (a, b) => compareWords(rows, a, b) || byKey(a, b);
    case '-name':
      return (a, b) => compareWords(rows, b, a) || byKey(a, b);
  }
}

/** Compares rows by `serverKey`: by game id and then by address. */
function keyOrder({ games, gameOf, cells, texts: { pages } }: ServerRows): (a: number, b: number) => number {
  const sorted = [...games.texts].sort();
  const ranks = Uint16Array.from(games.texts, game => sorted.indexOf(game));
  return (a, b) => {
    const gameA = gameOf[a] as number;
    const gameB = gameOf[b] as number;
    if (gameA !== gameB) return (ranks[gameA] as number) - (ranks[gameB] as number);
    const positionA = cells[a] as number;
    const positionB = cells[b] as number;
    const pageA = pages[positionA >>> 16] as Buffer;
    const pageB = pages[positionB >>> 16] as Buffer;
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

function compareWords({ cells, texts: { pages } }: ServerRows, a: number, b: number): number {
  const positionA = cells[a] as number;
  const positionB = cells[b] as number;
  const pageA = pages[positionA >>> 16] as Buffer;
  const pageB = pages[positionB >>> 16] as Buffer;
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
