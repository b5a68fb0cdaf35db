import { splitCanonical } from '../../proto/address.ts';
import { type CatalogGame, queryPorts } from '../../proto/catalog.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import type { Lease } from '../servers/server-store.ts';

/** How the server of a lease is to be asked. */
export interface LeaseTerms {
  /** How long to wait for a reply, ms; 0 if that is not known. */
  timeoutMs: number;
  /** Its status must be settled soon. */
  urgent: boolean;
}

/** What a prober needs to know to probe a leased server. The port that answered last time is the only one asked again. */
export function planLease(
  { id, server }: Lease,
  game: CatalogGame,
  { timeoutMs, urgent }: LeaseTerms,
): LeaseMessage {
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
