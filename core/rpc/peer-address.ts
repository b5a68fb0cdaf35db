import { isIP } from 'node:net';
import { plainIP } from '../../net/ipv6.ts';

/**
 * Returns the IP address of the peer of a call, or an empty string if it is not known. An IPv4-mapped address becomes
 * IPv4.
 */
export function peerAddress(call: { getPeer(): string }): string {
  const peer = call.getPeer();
  const host = peer.slice(0, peer.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  return isIP(host) ? plainIP(host) : '';
}
