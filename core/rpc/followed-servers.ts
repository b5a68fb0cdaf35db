import { parseAddress } from '../../net/address.ts';
import { type FieldViolation, ServiceError } from '../../proto/service-error.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { MAX_ADDRESSES } from '../servers/fetch-request.ts';
import { serverKey } from '../servers/server-record.ts';

/** The servers that a stream of events follows: either certain servers, or all servers of a game. */
export type Followed = { keys: readonly string[]; gameId?: undefined } | { keys?: undefined; gameId: string };

/** Maximum number of characters that an error message repeats from a text of the caller. */
const MAX_ECHO = 100;
/** Maximum number of faulty request fields that one error message lists. */
const MAX_FAULTS = 20;

/**
 * Reads from a request which servers its stream must follow: entries `game_id/address` in `server`, or all servers of
 * `game` (id or alias). Throws ServiceError QUERY_1 if the request is not valid.
 */
export function readFollowed(
  { server, game }: { server: readonly string[]; game: string },
  games: CatalogSnapshot,
): Followed {
  if (server.length > 0 === (game !== ''))
    throw wrong([{ path: 'server', message: 'give one or more `server`, or one `game`, and not both' }]);
  if (server.length > MAX_ADDRESSES)
    throw wrong([{ path: 'server', message: `${server.length} servers, at most ${MAX_ADDRESSES}` }]);
  if (game !== '') {
    const found = games.find(game);
    if (!found) throw wrong([{ path: 'game', message: unknownGame(game) }]);
    return { gameId: found.id };
  }
  const keys = new Set<string>();
  const faults: FieldViolation[] = [];
  server.forEach((text, i) => {
    const read = readServer(text, games);
    if ('key' in read) keys.add(read.key);
    else if (faults.length < MAX_FAULTS) faults.push({ path: `server[${i}]`, message: read.fault });
  });
  if (faults.length > 0) throw wrong(faults);
  return { keys: [...keys] };
}

function readServer(text: string, games: CatalogSnapshot): { key: string } | { fault: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { fault: `"${text.slice(0, MAX_ECHO)}" is not of the form game_id/address` };
  const gameId = text.slice(0, slash);
  const game = games.find(gameId);
  if (!game) return { fault: unknownGame(gameId) };
  const address = parseAddress(text.slice(slash + 1));
  if (address.kind === 'malformed') return { fault: `the address ${address.message}` };
  return { key: serverKey(game.id, address.canonical) };
}

function unknownGame(game: string): string {
  return `there is no game "${game.slice(0, MAX_ECHO)}"; the list of games contains the ids`;
}

function wrong(violations: FieldViolation[]): ServiceError {
  const [first] = violations;
  return new ServiceError('QUERY_1', `${first?.path} is not valid: ${first?.message}.`, { violations });
}
