import { parseAddress, type ServerAddress } from '../../net/address.ts';
import type { Resolver } from '../../net/resolver.ts';
import { isGamePort, type TargetPolicy } from '../../net/targets.ts';

/**
 * Possible reasons why a pair of game and address is invalid. Answers list them in `_meta.invalid_servers` (CONTRACT,
 * the API contract).
 */
export const invalidReasons = [
  'unknown_game',
  'malformed_address',
  'blocked_address',
  'unresolvable_host',
  'insert_quota',
] as const;
export type InvalidReason = (typeof invalidReasons)[number];

export interface InvalidPair {
  reason: InvalidReason;
  /** Human-readable text: what is wrong with the pair of game and address, and how to correct it. */
  message: string;
}

/** Reason why gsq refuses a pair of game and address if the game id is not in the catalog. */
export const unknownGame: InvalidPair = {
  reason: 'unknown_game',
  message: 'No game of the catalog has this game_id; the list of games contains the ids.',
};

/** Reason why gsq refuses a new server if it already tracks the maximum number of servers. */
export const insertQuota: InvalidPair = {
  reason: 'insert_quota',
  message: 'This service tracks as many servers as it may; ask its operator for room.',
};

/** Reason why gsq refuses a new server if the store accepts no writes at the moment. */
export const noWrites: InvalidPair = {
  reason: 'insert_quota',
  message: 'This service cannot store more servers just now; ask again in some minutes.',
};

const blockedPort: InvalidPair = {
  reason: 'blocked_address',
  message: 'This port is not one that game servers use; check the port.',
};

// The error message does not say why an address is blocked, because the reason would reveal information about internal
// networks.
const blockedTarget: InvalidPair = {
  reason: 'blocked_address',
  message:
    'No server is asked at this address: it is not a public one, or its network is left alone; check the address.',
};

const unresolvable: InvalidPair = {
  reason: 'unresolvable_host',
  message: 'This host name has no address now; check the name, or ask again later.',
};

/**
 * Parses an address. If the address has a wrong form, a forbidden port or a forbidden IP address, returns the reason
 * and a message.
 */
export function checkAddress(text: string, policy: TargetPolicy): ServerAddress | InvalidPair {
  const address = parseAddress(text);
  if (address.kind === 'malformed') {
    return { reason: 'malformed_address', message: `The address ${address.message}.` };
  }
  if (!isGamePort(address.port)) return blockedPort;
  if (address.kind !== 'name' && !policy.allows(address.host)) return blockedTarget;
  return address;
}

/**
 * Longest time that a request waits for the look-up of a host name, ms. A look-up that takes longer continues, and the
 * next request uses its result.
 */
const LOOK_UP_MS = 2_000;

/**
 * Looks up a host name. Returns an IP address of the name that gsq is allowed to probe. If there is none, returns the
 * reason and a message.
 */
export async function checkName(
  host: string,
  policy: TargetPolicy,
  resolver: Resolver,
): Promise<string | InvalidPair> {
  const resolution = await withinTime(resolver.resolve(host), LOOK_UP_MS);
  if (resolution?.kind !== 'addresses') return unresolvable;
  return resolution.addresses.find(ip => policy.allows(ip)) ?? blockedTarget;
}

/** Resolves to the value of a promise, or to undefined if the promise takes longer than `ms`. */
function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
