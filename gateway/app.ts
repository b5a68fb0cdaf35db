import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import { ServiceError } from '../proto/service-error.ts';
import { type Endpoint, type Listener, type ListenerContext, listenerOf } from './http/listener.ts';
import type { PlainRoute } from './http/plain-connection.ts';
import type { PlainRequest } from './http/plain-request.ts';
import type { Route } from './routes.ts';

/** An endpoint on the path its annotation gives it. */
export interface Mounted {
  route: Route;
  endpoint: Endpoint;
}

/** What answers requests. */
export interface App {
  /** Every request that node:http has read. */
  listener: RequestListener;
  /** Those that need no more than a plain connection. */
  plain: PlainRoute[];
}

/**
 * The REST face. Paths are exact: case and trailing slash count, query parameters do not. Every method reaches the
 * endpoint, which answers the wrong ones itself; every other path is a 404 in JSON.
 */
export function createApp(mounted: readonly Mounted[], context: ListenerContext): App {
  const listeners = new Map(
    mounted.map(({ route, endpoint }) => [route.path, listenerOf(endpoint, context)]),
  );
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  for (const [path, listener] of listeners) app.all(path, listener);
  const nowhere = nowhereListener(mounted, context);
  app.use((request, response) => nowhere(request, response));
  // What Express itself refuses is a path it cannot read; endpoints hand no error on.
  const refused: ErrorRequestHandler = (_error, request, response, _next) => nowhere(request, response);
  app.use(refused);

  const plain = mounted.map(({ route: { method, path }, endpoint }) => ({
    method,
    requestLine: `${method} ${path} HTTP/1.1\r\n`,
    takes: (request: PlainRequest) => endpoint.takesPlain(request),
    listener: listeners.get(path) ?? nowhere,
  }));
  const listener: RequestListener = (request, response) => {
    const url = request.url ?? '';
    // The same listener as the route of Express, without the way through Express, which is the dearest part of an answer.
    const known = listeners.get(url);
    if (known) return known(request, response);
    const target = originForm(url);
    if (target === undefined) return nowhere(request, response);
    request.url = target;
    app(request, response);
  };
  return { listener, plain };
}

/**
 * Path and query of a request target (RFC 9112, 3.2); undefined where it has none, as that of CONNECT and of
 * `OPTIONS *`, for which Express would answer in HTML.
 */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

function nowhereListener(mounted: readonly Mounted[], context: ListenerContext): Listener {
  const known = mounted.map(({ route }) => `${route.method} ${route.path}`).join(' and ');
  const message = `There is no such path; this service has ${known}.`;
  const answer = (): never => {
    throw new ServiceError('ROUTE_1', message);
  };
  return listenerOf(
    {
      name: 'none',
      method: undefined,
      wrongMethod: 'ROUTE_1',
      preflights: false,
      takesPlain: () => false,
      answer,
    },
    context,
  );
}
