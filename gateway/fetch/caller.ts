import { credentialKeys } from '../../proto/clients.ts';
import type { Caller, Credentials } from '../../proto/generated/codec/fetch.ts';
import { callerAddress } from '../http/caller-address.ts';
import { headerOf, type Request } from '../http/exchange.ts';

// Maximum length of each credential header: the API token, its tier (FREE or PRO) and its e-mail address. The gateway
// cuts a longer value to this length. The core still refuses the cut value, because every valid value is shorter.
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
  return { address: callerAddress(request, trustedProxies), domain };
}

function hostOf(url: string): string {
  return url !== '' && URL.canParse(url) ? new URL(url).hostname : '';
}
