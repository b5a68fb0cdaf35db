import { parseAddress } from '../../net/address.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { type ServerRecord, serverKey } from '../servers/server-record.ts';
import type { ServerRecords } from '../servers/server-records.ts';
import { isVisibleByName, type Reader } from './readers.ts';

/** Dependencies of `namedKey` and `trackedServer`. */
export interface NamedServerDependencies {
  catalog: { current(): CatalogSnapshot };
  records: Pick<ServerRecords, 'readRecords'>;
}

/**
 * Returns the `serverKey` of the server that a request names. The request can contain the id or an alias of the game,
 * and any spelling of the address. Throws ServiceError QUERY_1 if the address is malformed.
 */
export function namedKey(
  { catalog }: Pick<NamedServerDependencies, 'catalog'>,
  { gameId, server }: { gameId: string; server: string },
): string {
  const address = parseAddress(server);
  if (address.kind === 'malformed') {
    const message = `The address ${address.message}.`;
    throw new ServiceError('QUERY_1', message, { violations: [{ path: 'server', message }] });
  }
  // If a game is no longer in the catalog, its servers stay tracked under its id.
  const id = catalog.current().find(gameId)?.id ?? gameId;
  return serverKey(id, address.canonical);
}

/**
 * Returns the record of a tracked server that a request names. Rejects with ServiceError SERVER_1 if the server is not
 * tracked or not visible to the reader. Rejects with CORE_1 if the server's core does not answer.
 */
export async function trackedServer(
  { records }: Pick<NamedServerDependencies, 'records'>,
  key: string,
  reader: Reader,
): Promise<ServerRecord> {
  const [record] = await records.readRecords([key]);
  if (record && isVisibleByName(reader, record)) return record;
  throw new ServiceError(
    'SERVER_1',
    'gsq does not track this server; check the game id and the address, or fetch the server once to have it tracked.',
  );
}
