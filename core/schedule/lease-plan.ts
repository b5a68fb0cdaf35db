import { splitCanonical } from '../../net/address.ts';
import { type CatalogGame, queryPorts } from '../../proto/catalog.ts';
import { type ServerAccess, takenAccess } from '../../proto/game-access.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import { serverKey } from '../servers/server-record.ts';
import type { Lease } from '../servers/server-store.ts';

/** How the server of a lease is to be asked. */
export interface LeaseTerms {
  /** How long to wait for a reply, ms; 0 if that is not known. */
  timeoutMs: number;
  /** Its status must be settled soon. */
  urgent: boolean;
}

/** What servers are asked with beside their address, by server key. */
export interface AccessLookup {
  /** Servers that have any. */
  readonly size: number;
  get(serverKey: string): ServerAccess | undefined;
}

/** What a prober needs to know to probe a leased server. The port that answered last time is the only one asked again. */
export function planLease(
  { id, server }: Lease,
  game: CatalogGame,
  { timeoutMs, urgent }: LeaseTerms,
  credentials?: AccessLookup,
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
    // Most services have none at all, and need no key of each server to know that.
    ...(credentials && credentials.size > 0 && leasedAccess(server, game.protocol, credentials)),
  };
}

/** A server's secret and options, as far as its game has a use for them. */
function leasedAccess(
  { gameId, address }: Lease['server'],
  protocol: string,
  credentials: AccessLookup,
): Pick<LeaseMessage, 'secret' | 'options'> {
  const access = credentials.get(serverKey(gameId, address));
  if (!access) return {};
  const { secret, options } = takenAccess(protocol, access);
  return { secret, options: [...options].map(([name, value]) => ({ name, value })) };
}
