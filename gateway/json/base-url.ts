import { hostOf, isLoopbackHost } from './public-paths.ts';

/** Returns the URL with which links to this gateway begin. */
export class BaseUrl {
  readonly #url: URL | undefined;
  readonly #scheme: string;

  /** `url`: URL under which people reach the gateway (GSQ_PUBLIC_URL). `isTls`: true if the gateway serves https. */
  constructor(url: URL | undefined, isTls: boolean) {
    this.#url = url;
    this.#scheme = isTls ? 'https' : 'http';
  }

  /**
   * Returns the URL of the gateway for links, without a slash at its end; undefined if it is not known. Uses the Host
   * header only if it names this machine (loopback), because a caller can write any host into this header.
   */
  baseFor(host: string | undefined): string | undefined {
    if (this.#url) return this.#url.href.replace(/\/$/, '');
    return isLoopbackHost(hostOf(host)) ? `${this.#scheme}://${host}` : undefined;
  }
}
