import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../runtime/config.ts';
import { listenError } from '../runtime/listen-error.ts';
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
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  /** How often the first two are looked after. */
  connectionsCheckingInterval: number;
  /** How long the peer of a refused connection has to read why and to close it. */
  lingerTimeout: number;
}

const LIMITS: HttpLimits = {
  maxConnections: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute after which common proxies let go of an idle connection, so that they do so first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  lingerTimeout: 1_000,
};

/** Listens with limits on every part of a request. Rejects with ConfigError, which names the address. */
export function listenHttp(
  endpoint: Endpoint,
  listener: RequestListener,
  limits: HttpLimits = LIMITS,
): Promise<HttpServer> {
  const { maxConnections, lingerTimeout, ...timeouts } = limits;
  const server = createServer({ ...timeouts, requireHostHeader: false });
  server.maxConnections = maxConnections;
  serveRequests(server, listener, lingerTimeout);
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(listenError('GSQ_HTTP_ADDR', endpoint, error)));
    server.listen(endpoint.port, endpoint.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({ endpoint: { host: endpoint.host, port }, close: limitMs => close(server, limitMs) });
    });
  });
}

function close(server: Server, limitMs: number): Promise<void> {
  return new Promise(resolve => {
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
}
