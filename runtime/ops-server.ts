import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Endpoint } from './endpoint.ts';
import { listenError } from './listen-error.ts';

/** A listening HTTP server for operations: health checks and metrics. */
export interface OpsServer {
  /** The address on which the ops server listens, with the actual port. */
  endpoint: Endpoint;
  /** Replaces the function that handles all HTTP requests to the ops server. */
  handle(handler: RequestListener): void;
  close(): Promise<void>;
}

/** Data sources from which the ops server answers health checks and metrics scrapes. */
export interface OpsSources {
  metrics: Registry;
  /** Returns whether the process can do its work, and the reason if it cannot. */
  ready: () => Readiness;
}

/** State of the process in the reply of `/readyz`. `reason`: why the process cannot do its work. */
export interface Readiness {
  ready: boolean;
  reason?: string;
}

/**
 * Creates a handler for three paths: `/livez` (the process runs), `/readyz` (the process can do its work; 503 with the
 * reason if it cannot) and `/metrics` (Prometheus text). Requests for other paths are passed to `next`.
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

/**
 * Maximum number of connections to the ops endpoint. Monitoring needs few, and file descriptors must remain for
 * callers.
 */
const MAX_CONNECTIONS = 64;

/**
 * Starts the ops server (health checks and metrics). `setting`: name of the setting that contains its address. Rejects
 * with ConfigError if the server cannot listen. The message contains the setting and the address.
 */
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
