import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AddressCap } from '../net/address-cap.ts';
import type { Endpoint } from '../runtime/endpoint.ts';
import { listenError } from '../runtime/listen-error.ts';
import type { PlainRoute } from './http/plain-connection.ts';
import { PlainConnections } from './http/plain-connections.ts';
import { serveRequests } from './http/protocol-faults.ts';

/** A listening REST server. */
export interface HttpServer {
  /** As bound, with the real port. */
  endpoint: Endpoint;
  /** Stops accepting, and resolves when every request under way has its answer or `limitMs` are over. */
  close(limitMs: number): Promise<void>;
}

/** Bounds of what connections take; times in milliseconds. */
export interface HttpLimits {
  /** Open at once; one more is closed as it comes. */
  maxConnections: number;
  /** The same for each remote address. */
  perAddress?: AddressCap;
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  /** How often the first two are looked after. */
  connectionsCheckingInterval: number;
  /** How long a connection lives on which nothing moves either way while a request is under way. */
  timeout: number;
  /** How long the peer of a refused connection has to read why and to close it. */
  lingerTimeout: number;
}

/** What a gateway has unless told otherwise. */
export const httpLimits: HttpLimits = {
  maxConnections: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute after which common proxies let go of an idle connection, so that they do so first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  timeout: 60_000,
  lingerTimeout: 1_000,
};

/**
 * Listens with limits on every part of a request. `plain`: what is answered without node:http where a request needs no more
 * than that. Rejects with ConfigError, which names the address. */
export function listenHttp(
  endpoint: Endpoint,
  listener: RequestListener,
  limits: HttpLimits = httpLimits,
  plain: readonly PlainRoute[] = [],
): Promise<HttpServer> {
  const { maxConnections, perAddress, lingerTimeout, timeout, ...timeouts } = limits;
  const server = createServer({ ...timeouts, requireHostHeader: false });
  server.maxConnections = maxConnections;
  // Who does not read its answer would otherwise have its connection, and the answer, for ever.
  server.timeout = timeout;
  const connections = new PlainConnections(server, plain, limits);
  if (perAddress) server.prependListener('connection', socket => keepShare(socket, perAddress));
  serveRequests(server, listener, lingerTimeout);
  return new Promise((resolve, reject) => {
    // Once it listens: a connection that could not be accepted, which is no reason to end.
    server.on('error', error => reject(listenError('GSQ_HTTP_ADDR', endpoint, error)));
    server.listen(endpoint.port, endpoint.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        endpoint: { host: endpoint.host, port },
        close: limitMs => close(server, connections, limitMs),
      });
    });
  });
}

/** Closes a connection whose address has its share of them. */
function keepShare(socket: Socket, perAddress: AddressCap): void {
  const releaseSlot = perAddress.takeSlot(socket.remoteAddress ?? '');
  if (releaseSlot) socket.once('close', releaseSlot);
  else socket.destroy();
}

function close(server: Server, connections: PlainConnections, limitMs: number): Promise<void> {
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
