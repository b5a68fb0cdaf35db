import type { ServerServiceListServersRequest__Output } from '../../proto/generated/gsq/v1/ServerServiceListServersRequest.ts';
import { type FieldViolation, ServiceError } from '../../proto/service-error.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { foldText, foldWords } from '../search/folded-text.ts';
import { readPageToken } from '../search/page-token.ts';
import { type Scope, type SearchQuery, sorts } from '../search/search-query.ts';
import { statuses } from '../servers/server-record.ts';

const DEFAULT_PAGE = 50;
const MOST_PAGE = 1000;
/**
 * Maximum lengths of the texts in a search request, in characters. The fields of a server have the same maximum
 * lengths.
 */
const MOST = { q: 256, map: 128, version: 64 };

/** Reads a request for a list of servers. Throws ServiceError QUERY_1 with all faults of the request. */
export function readListRequest(
  request: ServerServiceListServersRequest__Output,
  games: CatalogSnapshot,
  scope: Scope,
): SearchQuery {
  const faults: FieldViolation[] = [];
  const fault = (path: string, message: string): undefined => {
    faults.push({ path, message });
  };
  const limit = request.pageSize || DEFAULT_PAGE;
  if (limit > MOST_PAGE) fault('page_size', `${limit} is more than ${MOST_PAGE}; ask for several pages`);
  const sort = request.sort || 'players';
  const query = {
    gameId: readGame(request.game, games, faults),
    status: request.status === '' ? undefined : statuses.find(status => status === request.status),
    words: request.q,
    playersMin: request.playersMin,
    map: request.map,
    version: request.version,
    password: request._password ? request.password : undefined,
    scope,
    sort: sorts.find(known => known === sort) ?? 'players',
    limit,
    after: undefined,
  };
  if (request.status !== '' && !query.status) fault('status', `write one of ${statuses.join(', ')}`);
  if (!sorts.some(known => known === sort)) fault('sort', `write one of ${sorts.join(', ')}`);
  for (const [field, most] of Object.entries(MOST) as ['q' | 'map' | 'version', number][]) {
    const text = request[field];
    if (text.length > most) fault(field, `is longer than ${most} characters`);
    else if (text !== '' && (field === 'q' ? foldWords(text) : foldText(text)) === '')
      fault(field, field === 'q' ? 'contains no letter and no digit' : 'contains no visible character');
  }
  if (faults.length > 0) throw badQuery(faults);
  if (request.pageToken === '') return query;
  const after = readPageToken(query, request.pageToken);
  if (!after) {
    fault('page_token', 'is not a token of this query; repeat all other parameters, or leave it out');
    throw badQuery(faults);
  }
  return { ...query, after };
}

/**
 * Returns the id of the game that a request names by id or alias. Returns an empty text if the request names no game.
 * Adds a fault to `faults` if the game is unknown.
 */
export function readGame(game: string, games: CatalogSnapshot, faults: FieldViolation[]): string {
  if (game === '') return '';
  const id = games.find(game)?.id;
  if (id === undefined)
    faults.push({ path: 'game', message: 'no game has this id; the list of games contains the ids' });
  return id ?? '';
}

/** Returns the error QUERY_1 for one or more faulty fields of a request. */
export function badQuery(faults: FieldViolation[]): ServiceError {
  const [first] = faults;
  const message = `A parameter is not valid: ${first?.path} ${first?.message}.`;
  return new ServiceError('QUERY_1', message, { violations: faults });
}
