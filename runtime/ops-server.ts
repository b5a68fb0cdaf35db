import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Endpoint } from './endpoint.ts';
import { listenError } from './listen-error.ts';

/** A listening ops endpoint. */
export interface OpsServer {
  /** The bound address, with the real port. */
  endpoint: Endpoint;
  /** Replaces the handler. */
  handle(handler: RequestListener): void;
  close(): Promise<void>;
}

/** What an ops endpoint shows. */
export interface OpsSources {
  metrics: Registry;
  /** Whether the process can do its work, and if not, why. */
  ready: () => Readiness;
}

/** The answer of `/readyz`. */
export interface Readiness {
  ready: boolean;
  reason?: string;
}

/**
 * Creates the handler of `/livez` (the process runs), `/readyz` (it can do its work; 503 with the reason if it cannot) and
 * `/metrics` (Prometheus text). It calls `next` for any other path.
 */
export function opsHandler(
  sources: OpsSources,
  next: RequestListener = (_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":"ROUTE_1","message":"The ops endpoint knows /livez, /readyz and /metrics."}');
  },
): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/livez') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"live":true}');
    } else if (path === '/readyz') {
      const state = sources.ready();
      response.writeHead(state.ready ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify(state));
    } else if (path === '/metrics') {
      sources.metrics.metrics().then(
        text => {
          response.writeHead(200, { 'content-type': sources.metrics.contentType });
          response.end(text);
        },
        () => response.writeHead(500).end(),
      );
    } else {
      next(request, response);
    }
  };
}

/** Monitoring needs few connections; the other file descriptors are for callers. */
const MAX_CONNECTIONS = 64;

/** Listens with the given handler on the address of a setting. Rejects with ConfigError, which names both. */
export function listenOps(setting: string, endpoint: Endpoint, handler: RequestListener): Promise<OpsServer> {
  let current = handler;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) =>
    current(request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(listenError(setting, endpoint, error)));
    server.listen(endpoint.port, endpoint.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        endpoint: { host: endpoint.host, port },
        handle: next => {
          current = next;
        },
        close: () =>
          new Promise(done => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}
