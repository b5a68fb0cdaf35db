import type { IncomingMessage } from 'node:http';
import { hasCredentials } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { credentialsOf } from '../fetch/caller.ts';

/** Protects the paths that anybody may read (GSQ_PAGE=on) from DNS rebinding. */
export class PublicPaths {
  readonly #isOn: boolean;
  readonly #host: string | undefined;

  /** `isOn`: true if callers without a token may read. `url`: URL under which people reach the gateway, if known. */
  constructor(isOn: boolean, url: URL | undefined) {
    this.#isOn = isOn;
    this.#host = url?.hostname;
  }

  /**
   * Throws ROUTE_1 if a request has no credentials, and its Host header is neither a loopback host nor the host of the
   * public URL. A web page of an attacker could otherwise read from a gateway in a private network: it lets the name of
   * its own server point to the gateway. Such a page has no valid credentials, so the core refuses all that it sends.
   * Therefore requests with credentials are not checked.
   */
  checkHost(request: IncomingMessage): void {
    if (!this.#isOn || hasCredentials(credentialsOf(request))) return;
    const host = hostOf(request.headers.host);
    if (host === this.#host || isLoopbackHost(host)) return;
    throw new ServiceError(
      'ROUTE_1',
      'There is nothing to read under this host name without a token. The operator sets GSQ_PUBLIC_URL to the URL that people use.',
    );
  }
}

/** Returns the host of a Host header in its canonical form, without its port; empty if the header is not valid. */
export function hostOf(header: string | undefined): string {
  if (header === undefined || /[/\\?#@\s]/.test(header)) return '';
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** True if a host, as in `URL.hostname`, always means this machine. */
export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || /^127\.[\d.]+$/.test(host) || host === '[::1]'
  );
}
