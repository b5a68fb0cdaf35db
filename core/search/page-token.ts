import { createHash } from 'node:crypto';
import type { ListPosition, SearchQuery } from './search-query.ts';

/**
 * Maximum length of a page token, in characters. In a list sorted by name, a token contains the name of a server, which
 * has at most 512 bytes.
 */
const MOST_CHARACTERS = 2048;

/**
 * Returns the token of the page after a position in a sorted list of servers. The token contains the sort values of the
 * position, so inserted or removed servers do not shift the next page.
 */
export function pageTokenOf(query: SearchQuery, { players, words, gameId, address }: ListPosition): string {
  const content = JSON.stringify([fingerprint(query), players, words, gameId, address]);
  return Buffer.from(content).toString('base64url');
}

/**
 * Reads a page token: returns the position in the list after which the page begins. Undefined if the token is not
 * valid, or belongs to a different query.
 */
export function readPageToken(query: SearchQuery, token: string): ListPosition | undefined {
  if (token.length > MOST_CHARACTERS) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(content) || content.length !== 5) return undefined;
  const [print, players, words, gameId, address]: unknown[] = content;
  if (print !== fingerprint(query)) return undefined;
  if (!Number.isInteger(players) || typeof players !== 'number' || players < 0 || players >= 2 ** 20)
    return undefined;
  if (typeof words !== 'string' || typeof gameId !== 'string' || typeof address !== 'string')
    return undefined;
  // Refuses a page token with an address of more than 259 characters, the length of the longest canonical address.
  return address.length > 259 ? undefined : { players, words, gameId, address };
}

/** Returns a short hash of the query fields that must be equal in the requests for all pages of a list. */
function fingerprint({
  gameId,
  status,
  words,
  sort,
  playersMin,
  map,
  password,
  version,
}: SearchQuery): string {
  const fields = [gameId, status ?? '', words, sort, playersMin, map, password ?? '', version];
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url').slice(0, 11);
}
