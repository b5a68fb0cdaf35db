import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import { directories } from '../../../prober/directories/registry.ts';
import { Authority } from '../../system/certificates.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

/**
 * Function that answers a request to a fake public server list. If the function does nothing, the request stays
 * unanswered.
 */
export type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A request to a fake public server list. */
export interface Seen {
  host: string;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/**
 * Returns `hostname`, or a made-up name if `hostname` is an IP address. Tests can redirect only names to loopback, not
 * IP addresses.
 */
export function fakeName(hostname: string): string {
  return isIP(hostname) === 0 ? hostname : `${hostname.replaceAll('.', '-')}.example`;
}

/** Host names of all fake public server lists. */
export const directoryHosts: readonly string[] = directories
  .flatMap(({ origins }) => origins)
  .map(origin => fakeName(new URL(origin).hostname));

/**
 * Fake servers on loopback for the public server lists of all games, with TLS if the real list uses TLS. The Host
 * header of a request selects the list.
 */
export class FakeDirectories {
  /**
   * Functions that answer requests to the public server lists, keyed by host name. Requests to any other host get
   * status 404.
   */
  readonly answering = new Map<string, Answering>();
  readonly seen: Seen[] = [];
  /** Certificate of the authority that signed the certificates of the fake public server lists. */
  readonly ca: string;
  /** Origins (scheme, host and port) of the fake public server lists. The key is the origin of the real list. */
  readonly origins: Readonly<Record<string, string>>;
  readonly #close: () => void;

  private constructor(ca: string, origins: Record<string, string>, close: () => void) {
    this.ca = ca;
    this.origins = origins;
    this.#close = close;
  }

  /** Starts the fake public server lists. If `plain` is true, they use HTTP without TLS, which is faster. */
  static async start({ plain = false } = {}): Promise<FakeDirectories> {
    const authority = new Authority(scratchDirectory());
    const files = authority.settingsFor('directories', directoryHosts);
    const cert = readFileSync(files.GSQ_INTERNAL_TLS_CERT ?? '');
    const key = readFileSync(files.GSQ_INTERNAL_TLS_KEY ?? '');
    const listener = (request: IncomingMessage, response: ServerResponse) => fake.#listen(request, response);
    const servers = { 'https:': createTlsServer({ cert, key }, listener), 'http:': createServer(listener) };
    const origins: Record<string, string> = {};
    for (const server of Object.values(servers)) await once(server.listen(0, '127.0.0.1'), 'listening');
    for (const origin of directories.flatMap(each => each.origins)) {
      const url = new URL(origin);
      if (plain) url.protocol = 'http:';
      const { port } = servers[url.protocol as keyof typeof servers].address() as AddressInfo;
      origins[origin] = `${url.protocol}//${fakeName(url.hostname)}:${port}`;
    }
    const fake = new FakeDirectories(readFileSync(authority.path, 'utf8'), origins, () => {
      for (const server of Object.values(servers)) {
        server.closeAllConnections();
        server.close();
      }
    });
    return fake;
  }

  stop(): void {
    this.#close();
  }

  async #listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const host = new URL(`http://${request.headers.host}`).hostname;
    const { method = '', url: path = '', headers } = request;
    this.seen.push({ host, method, path, headers, body });
    const answering = this.answering.get(host) ?? status(404);
    answering(request, response, body);
    this.#onSeen?.();
  }

  #onSeen: (() => void) | undefined;

  /** Resolves when the next request to a fake public server list arrives. */
  arrival(): Promise<void> {
    return new Promise(resolve => {
      this.#onSeen = resolve;
    });
  }
}

/** Returns a function that answers a request to a fake public server list with status 200 and a JSON body. */
export function json(value: unknown, headers: Record<string, string> = {}): Answering {
  const text = JSON.stringify(value);
  return (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Returns a function that answers a request to a fake public server list with a status, headers and a body. */
export function status(code: number, headers: Record<string, string> = {}, text = '{}'): Answering {
  return (_, response) => response.writeHead(code, headers).end(text);
}

/** Sends an incomplete answer: announces a body of 1000 bytes, sends the first few bytes, and closes the connection. */
export const half: Answering = (_, response) => {
  response.writeHead(200, { 'content-length': '1000', 'content-type': 'application/json' });
  response.write('[{"name":"half', () => response.destroy());
};

/** Accepts a request to a fake public server list and never answers. */
export const nothing: Answering = () => {};
