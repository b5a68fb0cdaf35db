import { parseAddress } from '../../net/address.ts';
import type { AdminServiceHandlers } from '../../proto/generated/gsq/v1/AdminService.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { OPERATOR } from '../admission/insert-guard.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { fetchMeta, serverResult } from '../render/server-results.ts';
import { type ChangeServersDependencies, changeServers } from '../servers/change-servers.ts';
import type { ClusterServers, PartChange } from '../servers/cluster-servers.ts';
import { countAddresses, MAX_ADDRESSES, type ServerGroup } from '../servers/fetch-request.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import type { ServerFetch } from '../servers/server-fetch.ts';
import { serverKey } from '../servers/server-record.ts';
import type { ServerRecords } from '../servers/server-records.ts';
import { accessMessage, readAccessChange } from './access-change.ts';
import type { Handlers } from './handler.ts';

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

/** Dependencies of `adminServerMethods`. */
export interface AdminServerMethodsDependencies extends ChangeServersDependencies {
  catalog: Catalog;
  fetch: ServerFetch;
  records: Pick<ServerRecords, 'list'>;
  /** The servers of all cores; undefined if this core owns all servers. */
  cluster?: ClusterServers | undefined;
  freshness: FreshnessRules;
}

/** Creates the methods of AdminService that add, check, remove and list servers. */
export function adminServerMethods(dependencies: AdminServerMethodsDependencies, handlers: Handlers) {
  const { catalog, fetch, records, freshness, now } = dependencies;
  /**
   * Returns the game id under which servers of a game are tracked. Also accepts a game that has left the catalog, as
   * long as its servers are tracked. Throws ServiceError ADMIN_1 if the game is unknown.
   */
  const trackedId = async (gameId: string): Promise<string> => {
    const game = catalog.current().find(gameId);
    if (game) return game.id;
    const [orphan] = await records.list(serverKey(gameId, ''), '', 1);
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
      const access = readAccessChange(request, catalog.current());
      const pairs = await fetch.fetch(request.servers, OPERATOR, 0);
      const tracked = pairs.flatMap(({ record }) => record?.key ?? []);
      if (access) await changeAll(dependencies, { kind: 'access', access }, tracked);
      return { meta: fetchMeta(pairs) };
    }),

    CheckServers: handlers.unary(async ({ request }) => {
      checkSize(request.servers);
      return { meta: fetchMeta(await fetch.checkServers(request.servers, OPERATOR)) };
    }),

    ListPublicly: handlers.unary(async ({ request }) => {
      const { refs, keys } = await namedServers(request.servers);
      const tracked = await changeAll(dependencies, { kind: 'list', isPublic: request.isPublic }, keys);
      return { tracked: refs.filter((_, i) => tracked[i]) };
    }),

    RemoveServers: handlers.unary(async ({ request }) => {
      const { refs, keys } = await namedServers(request.servers);
      const removed = await changeAll(dependencies, { kind: 'remove' }, keys);
      return { removed: refs.filter((_, i) => removed[i]) };
    }),

    ListServers: handlers.unary(async ({ request }) => {
      const size = Math.min(request.pageSize || DEFAULT_PAGE, MAX_PAGE);
      const prefix = request.gameId === '' ? '' : serverKey(await trackedId(request.gameId), '');
      const page = await records.list(prefix, request.pageToken, size);
      const { insertedBy } = request;
      const listed = insertedBy === '' ? page : page.filter(({ record }) => record.insertedBy === insertedBy);
      return {
        servers: listed.map(({ record }) =>
          serverResult({ gameId: record.gameId, server: record.address }, record, now(), freshness),
        ),
        nextPageToken: page.length === size ? (page.at(-1)?.record.key ?? '') : '',
        access: listed.flatMap(({ record, access }) => accessMessage(record, access) ?? []),
        insertedBy: listed.map(({ record }) => record.insertedBy),
      };
    }),
  } satisfies Partial<AdminServiceHandlers>;
}

/**
 * Makes the same change to the servers with these keys, on this core or on all cores of the cluster. Resolves to one
 * result for each key, in the order of `keys`.
 */
function changeAll(
  dependencies: AdminServerMethodsDependencies,
  change: PartChange,
  keys: readonly string[],
): Promise<boolean[]> {
  const { cluster } = dependencies;
  return cluster ? cluster.change(change, keys) : changeServers(dependencies, change, keys);
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
