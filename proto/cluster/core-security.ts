import type { InternalRoute } from '../../runtime/internal-port.ts';
import { type ChannelSecurity, insecure, mutualTls } from '../clients.ts';

/** Maximum number of cores whose TLS contexts stay in memory. A cluster has far fewer cores. */
const MAX_CONTEXTS = 64;

/**
 * Returns a function that chooses the security of the connection to the core at an address (`host:port`): TLS, or no
 * TLS if it is not configured. With TLS, the certificate of the core must be valid for the host in this address or for
 * the host in GSQ_INTERNAL_ADDR.
 */
export function coreSecurity({
  host,
  tls,
}: Pick<InternalRoute, 'host' | 'tls'>): (address: string) => ChannelSecurity {
  if (!tls) return () => insecure;
  // Keeps the `ChannelSecurity` object of each core, because gRPC clients for a core share a connection only if they
  // get the same object.
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
