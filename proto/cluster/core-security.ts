import type { InternalRoute } from '../../runtime/internal-port.ts';
import { type ChannelSecurity, insecure, mutualTls } from '../clients.ts';

/** Maximum number of cores whose TLS contexts stay in memory. A cluster has far fewer cores. */
const MAX_CONTEXTS = 64;

/**
 * Returns a function that decides how connections to a core are secured: with TLS, or not at all. The argument of this
 * function is the address of the core (`host:port`).
 *
 * With TLS, the certificate of the core must be valid for one of two hosts: the host in the address, or the host in
 * GSQ_INTERNAL_ADDR, which all cores of a cluster can share. All gRPC clients for the same core get the same security
 * object, so that they can share a connection.
 */
export function coreSecurity({
  host,
  tls,
}: Pick<InternalRoute, 'host' | 'tls'>): (address: string) => ChannelSecurity {
  if (!tls) return () => insecure;
  const known = new Map<string, ChannelSecurity>();
  return address => {
    let security = known.get(address);
    if (!security) {
      security = mutualTls(hostOf(address), tls, host);
      known.set(address, security);
      const [oldest = ''] = known.keys();
      if (known.size > MAX_CONTEXTS) known.delete(oldest);
    }
    return security;
  };
}

/** Returns the host of an address `host:port`, without the brackets of an IPv6 address. */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
