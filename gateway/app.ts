import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import { ServiceError } from '../proto/service-error.ts';
import { NO_ROUTE } from './http/answer-log.ts';
import {
  type Endpoint,
  type Listener,
  type ListenerContext,
  listenerOf,
  type Mounted,
  pathListenerOf,
} from './http/listener.ts';
import type { PlainRequest } from './http/plain-request.ts';
import type { PlainRoute } from './http/plain-route.ts';

/** The request handlers of the REST service, created by `createApp`. */
export interface App {
  /** Handles the requests that node:http has parsed. */
  listener: RequestListener;
  /**
   * The routes of the REST service that answer plain requests. A plain request is simple enough to be parsed without
   * node:http.
   */
  plain: PlainRoute[];
}

/**
 * Creates the handlers of the REST service. The path of a request must match a route exactly, including case and a
 * trailing slash. A variable matches one non-empty segment. Any other path gets 404 with a JSON body.
 */
export function createApp(mounted: readonly Mounted[], context: ListenerContext): App {
  // Creates one listener for each path. Several endpoints can have the same path if their HTTP methods differ. The
  // listener then chooses the endpoint by the method, and refuses requests with other methods.
  const listeners = new Map(
    byPath(mounted).map(([path, endpoints]) => [path, pathListenerOf(endpoints, context)]),
  );
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  for (const [path, listener] of listeners) {
    app.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, response) =>
      listener(request, response, {
        variables: request.params as Record<string, string>,
        query: queryOf(request.url),
      }),
    );
  }
  const notFound = notFoundListener(context);
  app.use((request, response) => notFound(request, response));
  // Error handler that answers 404. Express calls it only for a path that cannot be decoded, because endpoints never
  // pass an error to Express.
  const onError: ErrorRequestHandler = (_error, request, response, _next) => notFound(request, response);
  app.use(onError);

  const plain = mounted.flatMap(({ route: { method, path }, endpoint }) =>
    endpoint.acceptsPlain
      ? [
          {
            method,
            path,
            acceptsPlain: (request: PlainRequest) => endpoint.acceptsPlain?.(request) ?? false,
            listener: listeners.get(path) ?? notFound,
          },
        ]
      : [],
  );
  // The listeners of the paths without variables, keyed by path. Only Express can match a path with variables.
  const exact = new Map([...listeners].filter(([path]) => !path.includes('{')));
  const listener: RequestListener = (request, response) => {
    const url = request.url ?? '';
    // Skips Express if the URL is exactly a known path, because the routing of Express would take longer than the rest
    // of the answer.
    const known = exact.get(url);
    if (known) return known(request, response);
    const target = originForm(url);
    if (target === undefined) return notFound(request, response);
    request.url = target;
    app(request, response);
  };
  return { listener, plain };
}

/** Groups endpoints by the path of their routes. */
function byPath(mounted: readonly Mounted[]): [string, [Endpoint, ...Endpoint[]]][] {
  const paths = new Map<string, [Endpoint, ...Endpoint[]]>();
  for (const { route, endpoint } of mounted) {
    const endpoints = paths.get(route.path);
    if (endpoints) endpoints.push(endpoint);
    else paths.set(route.path, [endpoint]);
  }
  return [...paths];
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
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

function notFoundListener(context: ListenerContext): Listener {
  const answer = (): never => {
    throw new ServiceError(
      'ROUTE_1',
      'There is no such path; this service has GET /v1/get/games, POST /v1/post/fetch, GET /v1/servers and others (docs/rest.md).',
    );
  };
  return listenerOf(
    {
      name: NO_ROUTE,
      method: undefined,
      wrongMethod: 'ROUTE_1',
      preflights: false,
      answer,
    },
    context,
  );
}
