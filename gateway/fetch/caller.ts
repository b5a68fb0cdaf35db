import { isIP, type Socket } from 'node:net';
import { plainIP } from '../../net/ipv6.ts';
import { credentialKeys } from '../../proto/clients.ts';
import type { Caller, Credentials } from '../../proto/generated/codec/fetch.ts';
import { headerOf, type Request } from '../http/exchange.ts';

// Maximum length of a credential; longer values are truncated. It is longer than any valid token, tier or e-mail
// address, so truncating a value cannot make it valid.
const MAX_CREDENTIAL_LENGTH = 1024;

/** Reads the three credential headers. The value of a missing header is an empty string. */
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
 * Returns the caller of a request: its IP address in front of `trustedProxies` reverse proxies, and the host name of
 * the web page that sent the request.
 */
export function callerOf(request: Request, trustedProxies: number): Caller {
  const domain = hostOf(headerOf(request, 'origin')) || hostOf(headerOf(request, 'referer'));
  return { address: addressOf(request, trustedProxies), domain };
}

/** Caches the peer address of each connection, so that it is computed once for all its requests. */
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
 * Returns the address of the caller. Each proxy appends the address of its peer to X-Forwarded-For. Therefore the last
 * `trustedProxies` entries were written by trusted proxies. The caller can have invented all earlier entries.
 */
function addressOf(request: Request, trustedProxies: number): string {
  const peer = peerOf(request);
  if (trustedProxies === 0) return peer;
  const forwarded = headerOf(request, 'x-forwarded-for');
  const entries = forwarded === '' ? [] : forwarded.split(',').slice(-trustedProxies);
  return plainAddressIn(entries[0] ?? '') ?? peer;
}

/**
 * Returns the IP address in a text, without port, brackets and zone. Returns undefined if the text contains no IP
 * address.
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
