import { splitCanonical } from '../../net/address.ts';
import { type CatalogGame, queryPorts } from '../../proto/catalog.ts';
import { type ServerAccess, takenAccess } from '../../proto/game-access.ts';
import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import { serverKey } from '../servers/server-record.ts';
import type { Lease } from '../servers/server-store.ts';

/** Timeout and priority of a probe. */
export interface LeaseTerms {
  /** Longest time that the probe waits for a reply, ms. If 0, the prober uses its own timeout. */
  timeoutMs: number;
  /**
   * True if gsq must decide soon whether the server is offline. The prober then sends this probe before other waiting
   * probes of the same address.
   */
  urgent: boolean;
}

/** Secrets and options of servers, keyed by server key. */
export interface AccessLookup {
  /** Number of servers that have a secret or options. */
  readonly size: number;
  get(serverKey: string): ServerAccess | undefined;
}

/**
 * Returns the lease message (order to probe), with all data that a prober needs to probe a server. If it is known which
 * query port of the server answers, the prober probes only this port.
 */
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
    // If no server has a secret or options, skips their look-up, so that the server key need not be computed.
    ...(credentials && credentials.size > 0 && leasedAccess(server, game.protocol, credentials)),
  };
}

/** Returns the secret and the options of a server. Leaves out those that the protocol of the server does not use. */
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
