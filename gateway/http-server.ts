import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AddressCap } from '../net/address-cap.ts';
import type { Endpoint } from '../runtime/endpoint.ts';
import { listenError } from '../runtime/listen-error.ts';
import type { TlsTerminator } from '../runtime/tls-terminator.ts';
import type { AnswerLog } from './http/answer-log.ts';
import { PlainConnections } from './http/plain-connections.ts';
import type { PlainRoute } from './http/plain-route.ts';
import { serveRequests } from './http/protocol-faults.ts';

/** An HTTP server that listens for REST requests. */
export interface HttpServer {
  /** The address on which the server listens, with the port that the system chose if the setting had port 0. */
  endpoint: Endpoint;
  /**
   * Stops accepting connections. Resolves when all requests in progress are answered. After `limitMs` all remaining
   * connections are closed by force.
   */
  close(limitMs: number): Promise<void>;
}

/** Limits of HTTP connections. All times are in milliseconds. */
export interface HttpLimits {
  /** Maximum number of open connections. A new connection beyond this limit is closed immediately. */
  maxConnections: number;
  /** Limits the number of open connections from each remote address. */
  perAddress?: AddressCap;
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  /** Time between two checks whether a request exceeds `headersTimeout` or `requestTimeout`. */
  connectionsCheckingInterval: number;
  /**
   * Maximum time without a transferred byte while a request is in progress. After this time, the connection is closed.
   * If the client stops reading in the middle of an answer, the connection can stay open for up to twice this time.
   */
  timeout: number;
  /**
   * After a refused request, the connection stays open for at most this time, so that the client can read the answer.
   */
  lingerTimeout: number;
}

/** The default connection limits of a gateway. */
export const httpLimits: HttpLimits = {
  maxConnections: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Common proxies close an idle connection after 60 s. This timeout is longer, so that the proxy closes the connection
  // first. If the gateway closed first, a request that the proxy has just sent could be lost.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  timeout: 60_000,
  lingerTimeout: 1_000,
};

/**
 * Starts an HTTP server with a time limit for every phase of a request. `plain`: routes whose simple requests are
 * parsed without node:http. `answers`: log of invalid HTTP requests. Rejects with ConfigError if the address cannot be
 * bound.
 */
export function listenHttp(
  endpoint: Endpoint,
  listener: RequestListener,
  limits: HttpLimits = httpLimits,
  plain: readonly PlainRoute[] = [],
  tls?: TlsTerminator,
  answers?: AnswerLog,
): Promise<HttpServer> {
  const { maxConnections, perAddress, lingerTimeout, timeout, ...timeouts } = limits;
  const server = createServer({ ...timeouts, requireHostHeader: false });
  server.maxConnections = maxConnections;
  // Closes a connection on which no byte is transferred for `timeout` ms. Without this limit, a caller that does not
  // read its answer would keep the connection and the answer in memory forever.
  server.timeout = timeout;
  serveRequests(server, listener, lingerTimeout, answers);
  const connections = new PlainConnections(server, plain, limits);
  if (tls) terminateTls(server, tls);
  if (perAddress) server.prependListener('connection', socket => capConnection(socket, perAddress));
  return new Promise((resolve, reject) => {
    // An error after the start of the server means only that one connection could not be accepted. It has no effect
    // here, because `reject` does nothing when the promise is already resolved.
    server.on('error', error => reject(listenError('GSQ_HTTP_ADDR', endpoint, error)));
    server.listen(endpoint.port, endpoint.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        endpoint: { host: endpoint.host, port },
        close: limitMs => closeServer(server, connections, limitMs, tls),
      });
    });
  });
}

/**
 * Passes each TCP connection to `tls`. After the handshake, passes the TLS connection to the `connection` listeners of
 * `server`.
 */
function terminateTls(server: Server, tls: TlsTerminator): void {
  const listeners = server.listeners('connection');
  const accept = tls.listenerFor(socket => {
    // Lets a TLS client close its sending half after a request and still get the answer. Connections without TLS allow
    // this too.
    socket.allowHalfOpen = true;
    for (const listener of listeners) listener.call(server, socket);
  });
  server.removeAllListeners('connection').on('connection', accept);
}

/** Closes a new connection if its remote address already has the maximum number of connections. */
function capConnection(socket: Socket, perAddress: AddressCap): void {
  const releaseSlot = perAddress.takeSlot(socket.remoteAddress ?? '');
  if (releaseSlot) socket.once('close', releaseSlot);
  else socket.destroy();
}

function closeServer(
  server: Server,
  connections: PlainConnections,
  limitMs: number,
  tls: TlsTerminator | undefined,
): Promise<void> {
  tls?.close();
  return new Promise(resolve => {
    const limit = setTimeout(() => {
      connections.closeAll();
      server.closeAllConnections();
    }, limitMs);
    // `server.close` stops listening. It also closes the idle connections of node:http, because it calls
    // `closeIdleConnections`.
    server.close(() => {
      clearTimeout(limit);
      resolve();
    });
    connections.closeSoon();
  });
}
