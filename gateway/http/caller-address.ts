import { isIP, type Socket } from 'node:net';
import { plainIP } from '../../net/ipv6.ts';
import { headerOf, type Request } from './exchange.ts';

/** Cache with the peer address of each connection, so that the address is not computed again for each request. */
const peers = new WeakMap<Socket, string>();

function peerOf({ socket }: Request): string {
  let peer = peers.get(socket);
  if (peer === undefined) {
    peer = plainAddressIn(socket.remoteAddress ?? '') ?? '';
    peers.set(socket, peer);
  }
  return peer;
}

/**
 * Returns the IP address of the caller of a request; empty if it is not known. `trustedProxies`: number of reverse
 * proxies between the caller and the gateway.
 */
export function callerAddress(request: Request, trustedProxies: number): string {
  const peer = peerOf(request);
  if (trustedProxies === 0) return peer;
  const forwarded = headerOf(request, 'x-forwarded-for');
  // Each proxy appends the address of its peer to X-Forwarded-For. So the last `trustedProxies` entries come from
  // trusted proxies, and the first of these entries is the caller. The caller may have invented all earlier entries.
  const entries = forwarded === '' ? [] : forwarded.split(',').slice(-trustedProxies);
  return plainAddressIn(entries[0] ?? '') ?? peer;
}

/**
 * Returns the IP address in a string such as `[2001:db8::1]:80`, without port, brackets and zone. Returns undefined if
 * the string contains no IP address.
 */
function plainAddressIn(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const ip = plainIP(bare);
  return isIP(ip) === 0 ? undefined : ip;
}
