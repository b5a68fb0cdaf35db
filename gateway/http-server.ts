import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AddressCap } from '../net/address-cap.ts';
import type { Endpoint } from '../runtime/endpoint.ts';
import { listenError } from '../runtime/listen-error.ts';
import { PlainConnections } from './http/plain-connections.ts';
import type { PlainRoute } from './http/plain-route.ts';
import { serveRequests } from './http/protocol-faults.ts';

/** A listening REST server. */
export interface HttpServer {
  /** The bound address, with the real port. */
  endpoint: Endpoint;
  /** Stops accepting connections. Resolves when every request in progress is answered, after `limitMs` at the latest. */
  close(limitMs: number): Promise<void>;
}

/** Limits on connections; times in milliseconds. */
export interface HttpLimits {
  /** Most open connections; one more is closed at once. */
  maxConnections: number;
  /** Most open connections of each remote address. */
  perAddress?: AddressCap;
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  /** How often `headersTimeout` and `requestTimeout` are checked. */
  connectionsCheckingInterval: number;
  /** How long a connection with a request in progress may transfer no byte either way. */
  timeout: number;
  /** How long the peer of a refused connection has to read the answer and close the connection. */
  lingerTimeout: number;
}

/** The default limits of a gateway. */
export const httpLimits: HttpLimits = {
  maxConnections: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Common proxies close idle connections after a minute; the proxy must be the one that closes first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  timeout: 60_000,
  lingerTimeout: 1_000,
};

/**
 * Listens for HTTP with limits on every phase of a request. `plain`: the routes whose plain requests are answered without
 * node:http. Rejects with ConfigError, which names the address.
 */
export function listenHttp(
  endpoint: Endpoint,
  listener: RequestListener,
  limits: HttpLimits = httpLimits,
  plain: readonly PlainRoute[] = [],
): Promise<HttpServer> {
  const { maxConnections, perAddress, lingerTimeout, timeout, ...timeouts } = limits;
  const server = createServer({ ...timeouts, requireHostHeader: false });
  server.maxConnections = maxConnections;
  // Without it, a caller that does not read its answer would keep its connection and the answer for ever.
  server.timeout = timeout;
  const connections = new PlainConnections(server, plain, limits);
  if (perAddress) server.prependListener('connection', socket => capConnection(socket, perAddress));
  serveRequests(server, listener, lingerTimeout);
  return new Promise((resolve, reject) => {
    // An error after `listen` is a connection that could not be accepted; rejecting again does nothing.
    server.on('error', error => reject(listenError('GSQ_HTTP_ADDR', endpoint, error)));
    server.listen(endpoint.port, endpoint.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        endpoint: { host: endpoint.host, port },
        close: limitMs => closeServer(server, connections, limitMs),
      });
    });
  });
}

/** Closes a connection if its address is at its limit. */
function capConnection(socket: Socket, perAddress: AddressCap): void {
  const releaseSlot = perAddress.takeSlot(socket.remoteAddress ?? '');
  if (releaseSlot) socket.once('close', releaseSlot);
  else socket.destroy();
}

function closeServer(server: Server, connections: PlainConnections, limitMs: number): Promise<void> {
  return new Promise(resolve => {
    const limit = setTimeout(() => {
      connections.closeAll();
      server.closeAllConnections();
    }, limitMs);
    server.close(() => {
      clearTimeout(limit);
      resolve();
    });
    connections.closeIdle();
    server.closeIdleConnections();
  });
}
