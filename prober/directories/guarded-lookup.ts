import type { LookupAddress } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import type { Resolution } from '../../net/resolver.ts';

/** Resolves host names, and decides to which IP addresses connections are allowed. */
export interface LookupGuard {
  resolve: (name: string) => Promise<Resolution>;
  /** Returns true if packets to an IP address are allowed. */
  allows: (ip: string) => boolean;
}

/**
 * Creates a DNS look-up function for `net.connect` that returns only allowed addresses. The connection uses the checked
 * address and does not resolve the name a second time. An address literal resolves to itself.
 */
export function guardedLookup({ resolve, allows }: LookupGuard): LookupFunction {
  return async (name, { all, family }, done) => {
    const isAddress = isIP(name) !== 0;
    const resolution: Resolution = isAddress ? { kind: 'addresses', addresses: [name] } : await resolve(name);
    if (resolution.kind !== 'addresses') {
      const reason = resolution.kind === 'failed' ? resolution.reason : 'it has none';
      done(new Error(`may not connect to ${name}: no address was found: ${reason}`), '');
      return;
    }
    const found: LookupAddress[] = resolution.addresses
      .filter(ip => allows(ip))
      .map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
      .filter(each => (family !== 4 && family !== 6) || each.family === family);
    const [first] = found;
    if (!first) done(new Error(`may not connect to ${name}: it has no address that may be connected to`), '');
    else if (all) done(null, found);
    else done(null, first.address, first.family);
  };
}
