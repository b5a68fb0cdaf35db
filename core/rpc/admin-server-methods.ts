import { parseAddress } from '../../net/address.ts';
import type { AdminServiceHandlers } from '../../proto/generated/gsq/v1/AdminService.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { OPERATOR } from '../admission/insert-guard.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ServerCredentials } from '../credentials/server-credentials.ts';
import { fetchMeta, serverResult } from '../render/server-results.ts';
import { countAddresses, MAX_ADDRESSES, type ServerGroup } from '../servers/fetch-request.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { GivenUpServers } from '../servers/given-up-servers.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import { serverKey } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { accessMessage, readAccessChange } from './access-change.ts';
import type { Handlers } from './handler.ts';

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

/** Dependencies of `adminServerMethods`. */
export interface AdminServerMethodsDependencies {
  catalog: Catalog;
  fetch: ServerFetch;
  store: ServerStore;
  credentials: ServerCredentials;
  givenUp: GivenUpServers;
  freshness: FreshnessRules;
  now: () => number;
}

/** Creates the methods of AdminService that add, check, remove and list servers. */
export function adminServerMethods(
  { catalog, fetch, store, credentials, givenUp, freshness, now }: AdminServerMethodsDependencies,
  handlers: Handlers,
) {
  /**
   * Returns the game id under which servers of a game are tracked. Also accepts the id of a game that has left the
   * catalog, as long as servers of this game are tracked. Throws ServiceError ADMIN_1 if the game is unknown.
   */
  const trackedId = async (gameId: string): Promise<string> => {
    const game = catalog.current().find(gameId);
    if (game) return game.id;
    const [orphan] = await store.list(serverKey(gameId, ''), '', 1);
    if (orphan) return gameId;
    throw new ServiceError('ADMIN_1', `there is no game "${gameId}"; list them with: gsq games`);
  };

  const keyOf = async (gameId: string, server: string): Promise<string> => {
    const address = parseAddress(server);
    if (address.kind === 'malformed')
      throw new ServiceError('ADMIN_1', `the address "${server}" ${address.message}`);
    return serverKey(await trackedId(gameId), address.canonical);
  };

  const namedServers = async (groups: readonly ServerGroup[]) => {
    checkSize(groups);
    const refs = groups.flatMap(({ gameId, servers }) => servers.map(server => ({ gameId, server })));
    const keys: string[] = [];
    for (const { gameId, server } of refs) keys.push(await keyOf(gameId, server));
    return { refs, keys };
  };

  return {
    AddServers: handlers.unary(async ({ request }) => {
      checkSize(request.servers);
      const change = readAccessChange(request, catalog.current());
      const pairs = await fetch.fetch(request.servers, OPERATOR, 0);
      const tracked = pairs.flatMap(({ record }) => record?.key ?? []);
      if (change) {
        await credentials.changeAccess(tracked, change);
        for (const key of tracked) store.hasten(key, now());
      }
      return { meta: fetchMeta(pairs) };
    }),

    CheckServers: handlers.unary(async ({ request }) => {
      checkSize(request.servers);
      return { meta: fetchMeta(await fetch.checkServers(request.servers, OPERATOR)) };
    }),

    ListPublicly: handlers.unary(async ({ request }) => {
      const { refs, keys } = await namedServers(request.servers);
      const tracked = await store.listPublicly(keys, request.isPublic);
      return { tracked: refs.filter((_, i) => tracked[i]) };
    }),

    RemoveServers: handlers.unary(async ({ request }) => {
      const { refs, keys } = await namedServers(request.servers);
      const removed = await store.remove(keys);
      const givenUpRemoved = keys.map(key => givenUp.forget(key));
      return { removed: refs.filter((_, i) => removed[i] || givenUpRemoved[i]) };
    }),

    ListServers: handlers.unary(async ({ request }) => {
      const size = Math.min(request.pageSize || DEFAULT_PAGE, MAX_PAGE);
      const prefix = request.gameId === '' ? '' : serverKey(await trackedId(request.gameId), '');
      const page = await store.list(prefix, request.pageToken, size);
      const { insertedBy } = request;
      const records = insertedBy === '' ? page : page.filter(record => record.insertedBy === insertedBy);
      return {
        servers: records.map(record =>
          serverResult({ gameId: record.gameId, server: record.address }, record, now(), freshness),
        ),
        nextPageToken: page.length === size ? (page.at(-1)?.key ?? '') : '',
        access: records.flatMap(record => accessMessage(record, credentials.namesOf(record.key)) ?? []),
        insertedBy: records.map(record => record.insertedBy),
      };
    }),
  } satisfies Partial<AdminServiceHandlers>;
}

function checkSize(groups: readonly ServerGroup[]): void {
  const count = countAddresses(groups);
  if (count > MAX_ADDRESSES) {
    throw new ServiceError(
      'ADMIN_1',
      `${count} addresses in one call; at most ${MAX_ADDRESSES} are allowed.`,
    );
  }
}
