import { isIP, type Socket } from 'node:net';
import { plainIP } from '../../net/ipv6.ts';
import { credentialKeys } from '../../proto/clients.ts';
import type { CallCaller, CallCredentials } from '../../proto/codec/fetch-messages.ts';
import { headerOf, type Request } from '../http/exchange.ts';

// No token, tier or e-mail address comes near; a longer value cannot be a right one, cut or not.
const MAX_CREDENTIAL_LENGTH = 1024;

/** The three credential headers; a missing one is empty. */
export function credentialsOf(request: Request): CallCredentials {
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

/** Who asks: the address behind `trustedProxies` reverse proxies, and the page's host. */
export function callerOf(request: Request, trustedProxies: number): CallCaller {
  const domain = hostOf(headerOf(request, 'origin')) || hostOf(headerOf(request, 'referer'));
  return { address: addressOf(request, trustedProxies), domain };
}

// A connection carries many requests, its peer stays the same.
const peers = new WeakMap<Socket, string>();

function peerOf({ socket }: Request): string {
  let peer = peers.get(socket);
  if (peer === undefined) {
    peer = plainAddress(socket.remoteAddress ?? '') ?? '';
    peers.set(socket, peer);
  }
  return peer;
}

/**
 * Each proxy appends the address it was called from, so the last `trustedProxies` entries of X-Forwarded-For were
 * written by proxies of ours; anything before them may be invented.
 */
function addressOf(request: Request, trustedProxies: number): string {
  const peer = peerOf(request);
  if (trustedProxies === 0) return peer;
  const forwarded = headerOf(request, 'x-forwarded-for');
  const entries = forwarded === '' ? [] : forwarded.split(',').slice(-trustedProxies);
  return plainAddress(entries[0] ?? '') ?? peer;
}

/** An IP address without port, brackets, zone or the IPv6 mapping of an IPv4; undefined where it is none. */
function plainAddress(text: string): string | undefined {
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
