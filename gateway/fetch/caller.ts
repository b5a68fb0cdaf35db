import { isIP, type Socket } from 'node:net';
import { plainIP } from '../../net/ipv6.ts';
import { credentialKeys } from '../../proto/clients.ts';
import type { Caller, Credentials } from '../../proto/generated/codec/fetch.ts';
import { headerOf, type Request } from '../http/exchange.ts';

// Maximum length of a credential. Longer values are truncated to this length. Every valid token, tier and e-mail
// address is shorter, so truncating a value cannot make it valid.
const MAX_CREDENTIAL_LENGTH = 1024;

/**
 * Reads the three credential headers of a request: token, tier and e-mail address. The value of a missing header is an
 * empty string.
 */
export function credentialsOf(request: Request): Credentials {
  return {
    token: readCredential(request, credentialKeys.token),
    tier: readCredential(request, credentialKeys.tier),
    email: readCredential(request, credentialKeys.email),
  };
}

function readCredential(
  request: Request,
  name: (typeof credentialKeys)[keyof typeof credentialKeys],
): string {
  return headerOf(request, name).slice(0, MAX_CREDENTIAL_LENGTH);
}

/**
 * Returns the caller of a request: its IP address, and the host name of the web page that sent the request.
 * `trustedProxies` is the number of reverse proxies between the caller and the gateway.
 */
export function callerOf(request: Request, trustedProxies: number): Caller {
  const domain = hostOf(headerOf(request, 'origin')) || hostOf(headerOf(request, 'referer'));
  return { address: addressOf(request, trustedProxies), domain };
}

/** The peer address of each connection. This cache avoids computing the address again for each request. */
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
 * Returns the IP address of the caller. Each proxy appends the address of its peer to X-Forwarded-For. So only the last
 * `trustedProxies` addresses in this header are trustworthy. The first of them is the caller. Earlier addresses are
 * ignored, because the caller can have invented them.
 */
function addressOf(request: Request, trustedProxies: number): string {
  const peer = peerOf(request);
  if (trustedProxies === 0) return peer;
  const forwarded = headerOf(request, 'x-forwarded-for');
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

function hostOf(url: string): string {
  return url !== '' && URL.canParse(url) ? new URL(url).hostname : '';
}
