import { MAX_OPTIONS, optionFault, secretFault } from '../../proto/game-access.ts';
import type { AddServersRequest__Output } from '../../proto/generated/gsq/v1/AddServersRequest.ts';
import type { ServerAccess } from '../../proto/generated/gsq/v1/ServerAccess.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import type { AccessChange, AccessNames } from '../credentials/server-credentials.ts';
import type { ServerRecord } from '../servers/server-record.ts';

/**
 * Reads the secret and the options with which gsq will query the servers in a request; undefined if the request
 * contains none. Throws ServiceError ADMIN_1 if the secret or an option is invalid, or is not used by the protocol of a
 * game.
 */
export function readAccessChange(
  { servers, access }: AddServersRequest__Output,
  catalog: CatalogSnapshot,
): AccessChange | undefined {
  if (!access) return undefined;
  const { secret, clearSecret, options } = access;
  const refuse = (why: string): never => {
    throw new ServiceError('ADMIN_1', why);
  };
  if (secret !== '' && clearSecret) refuse('a secret cannot be set and forgotten at once');
  if (options.length > MAX_OPTIONS) refuse(`${options.length} options; at most ${MAX_OPTIONS} are allowed`);
  for (const { gameId } of servers) {
    const game = catalog.find(gameId);
    if (!game) continue;
    const faults = options.map(({ name, value }) => optionFault(game.protocol, name, value));
    if (secret !== '') faults.unshift(secretFault(game.protocol, secret));
    const fault = faults.find(each => each !== undefined);
    if (fault !== undefined) refuse(`${game.id}: ${fault}`);
  }
  if (secret === '' && !clearSecret && options.length === 0) return undefined;
  return {
    ...((secret !== '' || clearSecret) && { secret }),
    options: new Map(options.map(({ name, value }) => [name, value])),
  };
}

/**
 * Returns what an operator may see of the stored credentials of a server: the names of the options, and whether there
 * is a secret. Returns undefined if the server has no credentials.
 */
export function accessMessage(
  { gameId, address }: ServerRecord,
  names: AccessNames | undefined,
): ServerAccess | undefined {
  return names && { gameId, server: address, hasSecret: names.secret, options: [...names.options] };
}
