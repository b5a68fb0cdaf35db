import { callerOf } from '../fetch/caller.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint, Mounted } from '../http/listener.ts';
import { overloadReply } from '../http/overload-reply.ts';
import { traceparentOf } from '../http/request-origin.ts';
import { type PageRoute, pageRoutes } from '../page/page-routes.ts';
import type { VisitFacts } from '../page/visit.ts';
import type { PageThread } from './page-thread.ts';

/** Dependencies of the endpoints of pages and images. */
export interface PageEndpointContext {
  /** True if callers without a token may see the tracked servers (GSQ_PAGE=on). */
  isOn: boolean;
  pages: PageThread;
  trustedProxies: number;
}

/** Seconds after which the caller of a refused request should try again. */
const RETRY_SECONDS = 1;

/** Returns the endpoints of all pages and images. */
export function pageEndpoints(context: PageEndpointContext): Mounted[] {
  return pageRoutes.map(route => ({
    route: { method: 'GET', path: route.path },
    endpoint: new PageEndpoint(route, context),
  }));
}

/** Serves a page or an image that the page thread builds. */
class PageEndpoint implements Endpoint {
  readonly name: string;
  /**
   * The HTTP method that the endpoint accepts, besides HEAD. Undefined if the endpoint shows servers and GSQ_PAGE is
   * off: it then answers every method with 404.
   */
  readonly method: 'GET' | undefined;
  readonly acceptsHead = true;
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = false;
  readonly #route: PageRoute;
  readonly #context: PageEndpointContext;

  constructor(route: PageRoute, context: PageEndpointContext) {
    this.name = route.name;
    this.method = context.isOn || route.shows === 'documents' ? 'GET' : undefined;
    this.#route = route;
    this.#context = context;
  }

  acceptsPlain(): boolean {
    return true;
  }

  answer(exchange: Exchange): Reply | Promise<Reply> {
    const { pages, trustedProxies } = this.#context;
    const { request } = exchange;
    const acceptsHtml = headerOf(request, 'accept').includes('text/html');
    const isGzipAccepted = acceptsGzip(request.headers['accept-encoding']);
    // Refuses the request if the queue of the page thread (the thread that builds pages) is full. Unlike other
    // refusals, this does not pause the connection. After such a pause, many connections would send their next requests
    // at the same moment.
    if (pages.isFull) {
      if (acceptsHtml && isGzipAccepted && pages.busy) return pages.busy;
      const { logged: _, ...reply } = overloadReply(exchange.id, RETRY_SECONDS);
      return reply;
    }
    const { variables, query } = exchange.target;
    const facts: VisitFacts = {
      path: this.#route.path,
      variables,
      query: query.toString(),
      id: exchange.id,
      caller: callerOf(request, trustedProxies),
      traceparent: traceparentOf(request),
      host: request.headers.host,
      acceptsHtml,
      acceptsGzip: isGzipAccepted,
      ifNoneMatch: headerOf(request, 'if-none-match'),
    };
    return pages.build(this.#route.name, facts, () => request.socket.destroyed);
  }
}
