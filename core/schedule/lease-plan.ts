import { splitCanonical } from '../../net/address.ts';
import { type CatalogGame, queryPorts } from '../../proto/catalog.ts';
import { type ServerAccess, takenAccess } from '../../proto/game-access.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import { serverKey } from '../servers/server-record.ts';
import type { Lease } from '../servers/server-store.ts';

/** Timeout and priority of a probe. */
export interface LeaseTerms {
  /** Timeout for a reply, ms; 0 if the prober shall use its longest. */
  timeoutMs: number;
  /** The server's status must be settled soon, so this probe goes before others at its address. */
  urgent: boolean;
}

/** Secrets and options of servers, by server key. */
export interface AccessLookup {
  /** Number of servers that have a secret or options. */
  readonly size: number;
  get(serverKey: string): ServerAccess | undefined;
}

/** The lease message that tells a prober how to probe a server. If a port answered last time, only this port is probed. */
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
    // Most services have no secrets at all, so the server key is made only if there are some.
    ...(credentials && credentials.size > 0 && leasedAccess(server, game.protocol, credentials)),
  };
}

/** The secret and the options of a server that its protocol uses. */
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
