import type {
  SearchPartRequest,
  SearchPartRequest__Output,
} from '../../proto/generated/gsq/v1/SearchPartRequest.ts';
import type { SearchScope, SearchScope__Output } from '../../proto/generated/gsq/v1/SearchScope.ts';
import { type Scope, type SearchQuery, sorts } from '../search/search-query.ts';
import { statuses } from '../servers/server-record.ts';

/**
 * Returns the message that asks another core to search its own servers. The caller merges the results of all cores into
 * one page of a list.
 */
export function searchMessage(query: SearchQuery): SearchPartRequest {
  const { status, password, scope, after, withPositions: _, ...same } = query;
  return {
    ...same,
    status: status ?? '',
    ...(password !== undefined && { password }),
    scope: scopeMessage(scope),
    after: after ?? null,
  };
}

/**
 * Returns the search query from a message that `searchMessage` made. The query sets `withPositions`, so its result also
 * contains the position of each server in the sorted list.
 */
export function searchOfMessage(message: SearchPartRequest__Output): SearchQuery {
  const { gameId, status, words, playersMin, map, version, password, scope, sort, limit, after } = message;
  return {
    ...{ gameId, words, playersMin, map, version, limit },
    status: statuses.find(known => known === status),
    password: message._password ? password : undefined,
    scope: scopeOfMessage(scope),
    sort: sorts.find(known => known === sort) ?? 'players',
    after: after ?? undefined,
    withPositions: true,
  };
}

/** Encodes the scope of a search (the servers that the caller can see) as a message. */
export function scopeMessage(scope: Scope): SearchScope {
  if (scope === 'all') return { all: true };
  return scope === 'public' ? { public: true } : { insertedBy: scope.insertedBy };
}

/**
 * Converts a message of `scopeMessage` into the scope of a search (the servers that the caller can see). Without a
 * message, the caller can see no servers.
 */
export function scopeOfMessage(message: SearchScope__Output | null): Scope {
  if (message?.all) return 'all';
  return message?.public ? 'public' : { insertedBy: message?.insertedBy ?? '' };
}
