import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { credentialKeys } from '../../proto/clients.ts';
import type { Caller } from '../../proto/generated/gsq/v1/Caller.ts';
import type { Credentials } from '../../proto/generated/gsq/v1/Credentials.ts';
import { headerOf } from '../http/exchange.ts';

// No token, tier or e-mail address comes near; a longer value cannot be a right one, cut or not.
const MAX_CREDENTIAL_LENGTH = 1024;

/** The three credential headers; a missing one is empty. */
export function credentialsOf(request: IncomingMessage): Credentials {
  const read = (name: string): string => headerOf(request, name).slice(0, MAX_CREDENTIAL_LENGTH);
  return {
    token: read(credentialKeys.token),
    tier: read(credentialKeys.tier),
    email: read(credentialKeys.email),
  };
}

/** Who asks: the address behind `trustedProxies` reverse proxies, and the page's host. */
export function callerOf(request: IncomingMessage, trustedProxies: number): Caller {
  const domain = hostOf(headerOf(request, 'origin')) || hostOf(headerOf(request, 'referer'));
  return { address: addressOf(request, trustedProxies), domain };
}

/**
 * Each proxy appends the address it was called from, so the last `trustedProxies` entries of X-Forwarded-For were
 * written by proxies of ours; anything before them may be invented.
 */
function addressOf(request: IncomingMessage, trustedProxies: number): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '') ?? '';
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
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(bare) === 0 ? undefined : bare;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
