import { isIP } from 'node:net';

/** Returns the IP address of the peer of a call, or an empty string if it is not known. */
export function peerAddress(call: { getPeer(): string }): string {
  const peer = call.getPeer();
  const host = peer.slice(0, peer.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  return isIP(host) ? host : '';
}
