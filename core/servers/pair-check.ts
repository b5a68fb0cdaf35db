import { parseAddress, type ServerAddress } from '../../net/address.ts';
import type { Resolver } from '../../net/resolver.ts';
import { isGamePort, type TargetPolicy } from '../../net/targets.ts';

/** Reason for which a pair is not valid; CONTRACT, `_meta.invalid_servers`. */
export type InvalidReason =
  | 'unknown_game'
  | 'malformed_address'
  | 'blocked_address'
  | 'unresolvable_host'
  | 'insert_quota';

export interface InvalidPair {
  reason: InvalidReason;
  /** For people: what is wrong and how to correct it. */
  message: string;
}

export const unknownGame: InvalidPair = {
  reason: 'unknown_game',
  message: 'No game of the catalog has this game_id; the ids are listed by GET /v1/get/games.',
};

export const insertQuota: InvalidPair = {
  reason: 'insert_quota',
  message: 'This service tracks as many servers as it may; ask its operator for room.',
};

export const noWrites: InvalidPair = {
  reason: 'insert_quota',
  message: 'This service cannot store more servers just now; ask again in some minutes.',
};

const blockedPort: InvalidPair = {
  reason: 'blocked_address',
  message: 'This port is not one that game servers use; check the port.',
};

// The same message for every address, so that it tells callers nothing about internal networks.
const blockedTarget: InvalidPair = {
  reason: 'blocked_address',
  message:
    'No server is asked at this address: it is not a public one, or its network is left alone; check the address.',
};

const unresolvable: InvalidPair = {
  reason: 'unresolvable_host',
  message: 'This host name has no address now; check the name, or ask again later.',
};

/** Parses an address. Returns the fault if its form, its port or its IP address makes it no valid target. */
export function checkAddress(text: string, policy: TargetPolicy): ServerAddress | InvalidPair {
  const address = parseAddress(text);
  if (address.kind === 'malformed') {
    return { reason: 'malformed_address', message: `The address ${address.message}.` };
  }
  if (!isGamePort(address.port)) return blockedPort;
  if (address.kind !== 'name' && !policy.allows(address.host)) return blockedTarget;
  return address;
}

/** Time limit for a name lookup within a request, ms; a later answer serves the next request. */
const LOOK_UP_MS = 2_000;

/** Looks up a host name. Returns the fault if it has no address or none that may be probed. */
export async function checkName(
  host: string,
  policy: TargetPolicy,
  resolver: Resolver,
): Promise<InvalidPair | undefined> {
  const resolution = await withinTime(resolver.resolve(host), LOOK_UP_MS);
  if (resolution?.kind !== 'addresses') return unresolvable;
  return resolution.addresses.some(ip => policy.allows(ip)) ? undefined : blockedTarget;
}

/** The value of a promise, or undefined after `ms`. */
function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
