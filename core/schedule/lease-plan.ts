import { splitCanonical } from '../../proto/address.ts';
import { queryPorts } from '../../proto/catalog.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import type { Lease } from '../servers/server-store.ts';

/**
 * What a prober needs to know to probe a leased server; undefined where the catalog no longer has its game.
 * The port that answered last time is the only one asked again. `timeoutMs`: how long to wait for a reply, 0 if that is not
 * known.
 */
export function planLease(
  { id, server }: Lease,
  catalog: CatalogSnapshot,
  { timeoutMs, urgent }: { timeoutMs: number; urgent: boolean },
): LeaseMessage | undefined {
  const game = catalog.find(server.gameId);
  if (!game) return undefined;
  const { host, port } = splitCanonical(server.address);
  return {
    leaseId: id,
    gameId: server.gameId,
    host,
    port,
    protocol: game.protocol,
    gamedigId: game.gamedigId,
    queryPorts: server.queryPort ? [server.queryPort] : queryPorts(game, port),
    confirm: server.inDoubt,
    timeoutMs,
    urgent,
  };
}
