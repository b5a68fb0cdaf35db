import { serverKey, statuses } from '../servers/server-record.ts';
import { FACTS } from './row-facts.ts';
import { ALL, BLOCK, filterOf, findRows, keepTextMatches, scopeToken } from './row-filter.ts';
import { rowOrder } from './row-order.ts';
import type { GameCount, ListPosition, SearchPage, SearchQuery, SummaryQuery } from './search-query.ts';
import type { ServerRows } from './server-rows.ts';
import { TopRows } from './top-rows.ts';

/**
 * Scratch memory of a search. `block` contains the rows (servers) of the current block that match the query, and
 * `ranks` contains their ranks in the order of the list.
 */
const block = new Uint32Array(BLOCK);
const ranks = new Float64Array(BLOCK);

const noPause = (): void => {};

/**
 * Searches the rows of all servers, in blocks of `BLOCK` rows. Reads the texts only of rows whose columns match. Each
 * step of the search is a loop over a block: V8 compiles such a loop better than one call for each row
 * (docs/decisions/0026). `pause`: called after each block.
 */
export function searchRows(rows: ServerRows, query: SearchQuery, pause = noPause): SearchPage {
  const filter = filterOf(rows, query);
  if (!filter) return { keys: [], total: 0, next: undefined };
  // `ghostRow` adds a temporary row for the last server of the previous page. If the index is full, `ghostRow` replaces
  // the column arrays of the index by larger ones. `rowOrder` keeps references to these arrays, so it must be called
  // after `ghostRow`.
  const games = gamesWith(rows, query.after);
  const ghost = query.after ? ghostRow(rows, query.after, games) : -1;
  const order = rowOrder(rows, query.sort, games);
  // Collects one row more than the page of results needs, to know whether there is a next page.
  const top = new TopRows(query.limit + 1, order, ghost);
  let total = 0;
  for (let from = 0; from < rows.size; from += BLOCK) {
    const to = Math.min(from + BLOCK, rows.size);
    const count = keepTextMatches(rows, filter, block, findRows(rows, filter, from, to, block));
    total += count;
    order.rankRows(block, count, ranks);
    top.offerRows(block, count, ranks);
    pause();
  }
  const found = top.sorted();
  const last = found.length > query.limit ? found[query.limit - 1] : undefined;
  const page = found.slice(0, query.limit);
  return {
    keys: page.map(row => keyOf(rows, row)),
    total,
    next: last === undefined ? undefined : positionOf(rows, last, query),
    ...(query.withPositions && { positions: page.map(row => positionOf(rows, row, query)) }),
  };
}

/**
 * Counts servers by game. The games are returned in no particular order. `pause`: called after each block of `BLOCK`
 * rows.
 */
export function countRows(rows: ServerRows, { gameId, scope }: SummaryQuery, pause = noPause): GameCount[] {
  const { facts, gameOf, tokenOf, games } = rows;
  const token = scopeToken(rows, scope);
  const counts = games.texts.map(game => ({ gameId: game, servers: 0, online: 0, players: 0 }));
  const online = statuses.indexOf('online');
  for (let row = 0; row < rows.size; row++) {
    if (row % BLOCK === BLOCK - 1) pause();
    if (token !== ALL && tokenOf[row] !== token) continue;
    const count = counts[gameOf[row] as number];
    if (!count) continue;
    const bits = facts[row] as number;
    if (scope === 'public' && ((bits >>> FACTS.isPublic.shift) & FACTS.isPublic.max) === 0) continue;
    count.servers++;
    if (((bits >>> FACTS.status.shift) & FACTS.status.max) === online) count.online++;
    count.players += bits >>> FACTS.players.shift;
  }
  return counts.filter(count => count.servers > 0 && (gameId === '' || count.gameId === gameId));
}

function keyOf(rows: ServerRows, row: number): string {
  return serverKey(rows.games.texts[rows.gameOf[row] as number] ?? '', rows.addressOf(row));
}

function positionOf(rows: ServerRows, row: number, { sort }: SearchQuery): ListPosition {
  const isByName = sort === 'name' || sort === '-name';
  return {
    players: isByName ? 0 : (rows.facts[row] as number) >>> FACTS.players.shift,
    words: isByName ? rows.wordsOf(row) : '',
    gameId: rows.games.texts[rows.gameOf[row] as number] ?? '',
    address: rows.addressOf(row),
  };
}

/**
 * Returns the ids of all games in the search index. The array index of a game is its number in the search index.
 * `after` is the last server of the previous page. If the search index no longer has the game of this server, the id of
 * this game is added at the end.
 */
function gamesWith({ games }: ServerRows, after: ListPosition | undefined): readonly string[] {
  return after && games.get(after.gameId) < 0 ? [...games.texts, after.gameId] : games.texts;
}

function ghostRow(
  rows: ServerRows,
  { players, words, gameId, address }: ListPosition,
  games: readonly string[],
): number {
  return rows.writeGhostRow(games.indexOf(gameId), players, words, address);
}
