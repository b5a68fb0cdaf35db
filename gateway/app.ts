import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import { ServiceError } from '../proto/service-error.ts';
import { NO_ROUTE } from './http/answer-log.ts';
import { type Endpoint, type Listener, type ListenerContext, listenerOf } from './http/listener.ts';
import type { PlainRequest } from './http/plain-request.ts';
import type { PlainRoute } from './http/plain-route.ts';
import type { Route } from './routes.ts';

/** An endpoint, and the route (method and path) that it serves. */
export interface Mounted {
  route: Route;
  endpoint: Endpoint;
}

/** The request handlers of the REST service, created by `createApp`. */
export interface App {
  /** Handles requests that node:http has parsed. */
  listener: RequestListener;
  /** The routes that answer plain requests. A plain request is simple enough to be parsed without node:http. */
  plain: PlainRoute[];
}

/**
 * Creates the handlers of the REST service. The path of a request must equal the path of a route exactly, including
 * case and a trailing slash. Query parameters are ignored. The endpoint of a path is called for every HTTP method, and
 * refuses wrong methods itself. A request for any other path gets 404 with a JSON body.
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
  const notFound = notFoundListener(mounted, context);
  app.use((request, response) => notFound(request, response));
  // Endpoints never pass an error to Express. The only error here is a path that Express cannot decode. The answer to
  // it is 404.
  const onError: ErrorRequestHandler = (_error, request, response, _next) => notFound(request, response);
  app.use(onError);

  const plain = mounted.map(({ route: { method, path }, endpoint }) => ({
    method,
    requestLine: `${method} ${path} HTTP/1.1\r\n`,
    acceptsPlain: (request: PlainRequest) => endpoint.acceptsPlain(request),
    listener: listeners.get(path) ?? notFound,
  }));
  const listener: RequestListener = (request, response) => {
    const url = request.url ?? '';
    // Skips Express if the URL is exactly a known path, because routing in Express takes longer than all other work for
    // an answer.
    const known = listeners.get(url);
    if (known) return known(request, response);
    const target = originForm(url);
    if (target === undefined) return notFound(request, response);
    request.url = target;
    app(request, response);
  };
  return { listener, plain };
}

/**
 * Returns the path and query of a request target (RFC 9112, 3.2). Returns undefined for CONNECT and `OPTIONS *`,
 * because their target has no path. Such requests must not reach Express, which would answer them in HTML.
 */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

function notFoundListener(mounted: readonly Mounted[], context: ListenerContext): Listener {
  const known = mounted.map(({ route }) => `${route.method} ${route.path}`).join(' and ');
  const message = `There is no such path; this service has ${known}.`;
  const answer = (): never => {
    throw new ServiceError('ROUTE_1', message);
  };
  return listenerOf(
    {
      name: NO_ROUTE,
      method: undefined,
      wrongMethod: 'ROUTE_1',
      preflights: false,
      acceptsPlain: () => false,
      answer,
    },
    context,
  );
}
