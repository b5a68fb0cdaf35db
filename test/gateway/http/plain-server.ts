import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach } from 'node:test';
import type { Response } from '../../../gateway/http/exchange.ts';
import type { PlainRequest } from '../../../gateway/http/plain-request.ts';
import type { PlainRoute } from '../../../gateway/http/plain-route.ts';
import { type HttpLimits, type HttpServer, httpLimits, listenHttp } from '../../../gateway/http-server.ts';

/** The head of a request that the fast HTTP parser reads. A body of two bytes must follow. */
export const REQUEST = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';
/** A request that node:http reads, because the server of `serve` has no route for it. */
export const OTHER = 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n';

/** The HTTP server that `serve` started. Undefined if no server runs. */
let server: HttpServer | undefined;
const sockets: Socket[] = [];

/**
 * Registers a hook that closes all connections and the server after each test. Call this function once per test file.
 */
export function closeAfterEachTest(): void {
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server?.close(0);
    server = undefined;
  });
}

/** Calls `HttpServer.close` of the server that `serve` started. `graceMs`: time limit, milliseconds. */
export async function closeServer(graceMs: number): Promise<void> {
  await server?.close(graceMs);
}

/** Answers a request that the fast HTTP parser has read. */
type Answer = (request: PlainRequest, response: Response) => void;

/** Answers a request with the text `plain ` and the body of the request. */
export const echo: Answer = ({ body }, response) => {
  const bytes = Buffer.concat([Buffer.from('plain '), body]);
  response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
};

/** Answers the requests that are parsed by node:http. Each answer has the body `node`. */
const answerNode: RequestListener = (request, response) => {
  request.on('data', () => {});
  request.on('end', () => response.writeHead(200, { 'Content-Length': '4' }).end('node'));
};

/**
 * Starts a server with one route. `listener` answers the requests that the fast HTTP parser reads, and `nodeListener`
 * answers all other requests.
 */
export async function serve(
  listener: Answer = echo,
  limits: Partial<HttpLimits> = {},
  nodeListener: RequestListener = answerNode,
): Promise<void> {
  const route: PlainRoute = {
    method: 'POST',
    path: '/echo',
    acceptsPlain: () => true,
    listener,
  };
  server = await listenHttp({ host: '127.0.0.1', port: 0 }, nodeListener, { ...httpLimits, ...limits }, [
    route,
  ]);
}

/** A client connection, and the text that it has received. */
export class Line {
  readonly socket: Socket;
  received = '';
  readonly closed: Promise<unknown>;

  constructor() {
    this.socket = connect({ port: server?.endpoint.port ?? 0, host: '127.0.0.1' });
    sockets.push(this.socket);
    this.closed = new Promise(resolve => this.socket.on('close', resolve));
    this.socket.setEncoding('latin1').on('data', text => {
      this.received += text;
    });
    this.socket.on('error', () => {});
  }

  /** Waits until the text that the client has received matches the pattern. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.received)) await once(this.socket, 'data');
  }
}

/**
 * Waits until the server has read all bytes that the test has sent so far. For this purpose, sends a request on a new
 * connection and waits for its answer.
 */
export async function roundTrip(): Promise<void> {
  const other = new Line();
  other.socket.write(`${REQUEST}ok`);
  await other.until(/plain ok$/);
  other.socket.destroy();
}
