import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import { directories } from '../../../prober/directories/registry.ts';
import { Authority } from '../../system/certificates.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

/** Function that answers a request to a fake directory. If the function does nothing, the request stays unanswered. */
export type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A request that a fake directory received. */
export interface Seen {
  host: string;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/**
 * Returns the host name that tests use for a directory. Tests resolve all host names to loopback, but an IP address is
 * never resolved. Therefore a directory whose real host is an IP address gets a made-up host name.
 */
export function fakeName(hostname: string): string {
  return isIP(hostname) === 0 ? hostname : `${hostname.replaceAll('.', '-')}.example`;
}

/** Host names of all directories in tests. */
export const directoryHosts: readonly string[] = directories
  .flatMap(({ origins }) => origins)
  .map(origin => fakeName(new URL(origin).hostname));

/**
 * Fake servers on loopback for all directories. A fake server uses TLS if the real directory uses TLS. The Host header
 * of a request decides for which directory the fake server answers.
 */
export class FakeDirectories {
  /**
   * Functions that answer requests, keyed by host name. Requests to a host that is not in the map get a reply with
   * status 404.
   */
  readonly answering = new Map<string, Answering>();
  readonly seen: Seen[] = [];
  /** Certificate of the authority that signed the certificates of the fake directories. */
  readonly ca: string;
  /** Origins of the fake directories, keyed by the origin of the real directory. */
  readonly origins: Readonly<Record<string, string>>;
  readonly #close: () => void;

  private constructor(ca: string, origins: Record<string, string>, close: () => void) {
    this.ca = ca;
    this.origins = origins;
    this.#close = close;
  }

  /**
   * Starts the fake servers. If `plain` is true, all of them use HTTP without TLS, for tests with thousands of
   * requests.
   */
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

  /** Resolves when a request arrives. */
  arrival(): Promise<void> {
    return new Promise(resolve => {
      this.#onSeen = resolve;
    });
  }
}

/** Answers with status 200 and a JSON body. */
export function json(value: unknown, headers: Record<string, string> = {}): Answering {
  const text = JSON.stringify(value);
  return (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Answers with a status, headers and a body. */
export function status(code: number, headers: Record<string, string> = {}, text = '{}'): Answering {
  return (_, response) => response.writeHead(code, headers).end(text);
}

/** Announces a body of 1000 bytes, sends only the start of the body, and closes the connection. */
export const half: Answering = (_, response) => {
  response.writeHead(200, { 'content-length': '1000', 'content-type': 'application/json' });
  response.write('[{"name":"half', () => response.destroy());
};

/** Accepts the request and never answers. */
export const nothing: Answering = () => {};
