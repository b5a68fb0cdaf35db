import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import { ServiceError } from '../proto/service-error.ts';
import { type Endpoint, type Listener, type ListenerContext, listenerOf } from './http/listener.ts';
import type { PlainRequest } from './http/plain-request.ts';
import type { PlainRoute } from './http/plain-route.ts';
import type { Route } from './routes.ts';

/** An endpoint and the route on which it serves. */
export interface Mounted {
  route: Route;
  endpoint: Endpoint;
}

/** The REST service. */
export interface App {
  /** Answers the requests that node:http reads. */
  listener: RequestListener;
  /** Answers plain requests. */
  plain: PlainRoute[];
}

/**
 * Creates the REST service. Paths are exact: case and trailing slash count, query parameters do not. An endpoint is called
 * for every method, and refuses the wrong ones itself; any other path is a 404 in JSON.
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
  // Express fails only on paths it cannot decode; endpoints pass no error on.
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
    // Calls the listener of the route without Express, whose routing takes longer than the rest of an answer.
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
 * Path and query of a request target (RFC 9112, 3.2); undefined if it has none, as in CONNECT and `OPTIONS *`, which
 * Express would answer in HTML.
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
      name: 'none',
      method: undefined,
      wrongMethod: 'ROUTE_1',
      preflights: false,
      acceptsPlain: () => false,
      answer,
    },
    context,
  );
}
