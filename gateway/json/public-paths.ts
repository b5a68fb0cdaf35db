import { hasCredentials } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { credentialsOf } from '../fetch/caller.ts';
import type { Request } from '../http/exchange.ts';

/** Prevents DNS rebinding for the public paths: the paths that anybody may read without a token (GSQ_PAGE=on). */
export class PublicPaths {
  readonly #isOn: boolean;
  readonly #host: string | undefined;

  /**
   * `isOn`: true if callers without a token may read the public paths of the gateway (GSQ_PAGE=on). `url`: URL under
   * which people reach the gateway (GSQ_PUBLIC_URL); undefined if the operator did not set it.
   */
  constructor(isOn: boolean, url: URL | undefined) {
    this.#isOn = isOn;
    this.#host = url?.hostname;
  }

  /**
   * Throws ROUTE_1 if a request without credentials has a Host header that is neither loopback nor the host of
   * GSQ_PUBLIC_URL. This prevents DNS rebinding, in which the host name of an attacker's page points to a private
   * gateway.
   */
  checkHost(request: Request): void {
    // Requests with credentials need no check of the Host header: a page of an attacker has no valid credentials, and
    // the core refuses invalid ones.
    if (this.isPublic(request)) this.checkPublicHost(request.headers.host);
  }

  /** True if the public paths are on (GSQ_PAGE=on) and a request contains no credentials. */
  isPublic(request: Request): boolean {
    return this.#isOn && !hasCredentials(credentialsOf(request));
  }

  /**
   * Throws ROUTE_1 if the Host header is neither loopback nor the host of GSQ_PUBLIC_URL. Unlike `checkHost`, this
   * method also checks requests with credentials. It is used for pages and images, because gsq does not check the
   * credentials of these requests.
   */
  checkPublicHost(header: string | undefined): void {
    const host = hostOf(header);
    if (host === this.#host || isLoopbackHost(host)) return;
    throw new ServiceError(
      'ROUTE_1',
      'There is nothing to read under this host name without a token. The operator sets GSQ_PUBLIC_URL to the URL that people use.',
    );
  }
}

/**
 * Matches a host name or an IP address, with or without a port. RFC 3986 also allows characters such as `'`, `&` and
 * `=` in a host name, and `URL` even allows `"`. No host name on the internet contains them, and the gateway writes the
 * host into HTML.
 */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/**
 * Returns the host of a Host header in canonical form and without the port. Returns an empty text if the header is not
 * valid, or contains other characters than letters, digits, `.`, `_`, `-`, and the colons and brackets of an address.
 */
export function hostOf(header: string | undefined): string {
  if (header === undefined || !HOST.test(header)) return '';
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** True if a host name or address always means this machine (loopback). The host is in the form of `URL.hostname`. */
export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || /^127\.[\d.]+$/.test(host) || host === '[::1]'
  );
}
