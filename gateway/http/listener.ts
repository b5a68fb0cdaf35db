import type { ReasonCode } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Logger } from '../../runtime/log.ts';
import type { Metrics, RouteAnswers } from '../ops/metrics.ts';
import { overloaded } from '../upstream/core-errors.ts';
import type { AnswerLog } from './answer-log.ts';
import type { Cors } from './cors.ts';
import { asServiceError, CallerGone, errorReply } from './error-reply.ts';
import {
  createExchange,
  type Exchange,
  type Reply,
  type Request,
  type Response,
  type Target,
} from './exchange.ts';
import { overloadReply } from './overload-reply.ts';
import type { PausedConnections } from './paused-connections.ts';
import type { PlainRequest } from './plain-request.ts';
import { originOf } from './request-origin.ts';
import type { Route } from './routes.ts';
import { sendReply } from './send.ts';

/** A part of the gateway that answers the requests for one URL path, with one HTTP method or with all methods. */
export interface Endpoint {
  /** The name of the route in metrics and logs. */
  name: string;
  /** The only HTTP method that the endpoint accepts. Undefined if it accepts all methods. */
  method: string | undefined;
  /**
   * True if the endpoint also answers HEAD, in the same way as GET but without a body. Link checkers and chat programs
   * send HEAD requests.
   */
  readonly acceptsHead?: boolean;
  /** The error code for a request whose HTTP method is wrong. */
  wrongMethod: ReasonCode;
  /** True if the gateway answers CORS preflights for this endpoint. */
  preflights: boolean;
  /**
   * Returns true if the endpoint can answer this plain request (a request that is parsed without node:http). If false,
   * or if this function is absent, node:http parses the request instead.
   */
  acceptsPlain?(request: PlainRequest): boolean;
  /**
   * Answers a request. Throws or rejects with ServiceError if the request is refused, and with CallerGone if the caller
   * closed its connection. Any other error is a bug in gsq.
   */
  answer(exchange: Exchange): Reply | Promise<Reply>;
}

/** An endpoint of the REST service, and the route (method and path) that it serves. */
export interface Mounted {
  route: Pick<Route, 'method' | 'path'>;
  endpoint: Endpoint;
}

/** Logger, metrics and other objects that the listeners of all endpoints share. */
export interface ListenerContext {
  log: Logger;
  answers: AnswerLog;
  metrics: Metrics;
  cors: Cors;
  paused: PausedConnections;
  /**
   * Returns true while the gateway shuts down (drains). The gateway then closes every connection after the answer to
   * its current request.
   */
  draining: () => boolean;
}

/**
 * Function that handles one HTTP request. It must answer every request, immediately or later. `target`: the path
 * variables and the query of the request; absent if the URL of the request is exactly the path of a route.
 */
export type Listener = (request: Request, response: Response, target?: Target) => void;

/**
 * Returns the request listener of an endpoint. The listener never throws an error. If the endpoint returns a reply and
 * not a promise, the listener sends the reply synchronously. `allow`: all HTTP methods of the path. The answer to a
 * request with a wrong method contains them.
 */
export function listenerOf(
  endpoint: Endpoint,
  context: ListenerContext,
  allow: string = methodsOf(endpoint),
): Listener {
  const route = new RouteListener(endpoint, context, allow);
  return (request, response, target) => route.answerRequest(request, response, target);
}

/**
 * Returns the request listener for one path. The path has one endpoint for each HTTP method. If no endpoint accepts the
 * method of a request, the first endpoint refuses the request.
 */
export function pathListenerOf(
  endpoints: readonly [Endpoint, ...Endpoint[]],
  context: ListenerContext,
): Listener {
  const allow = endpoints.map(methodsOf).join(', ');
  const [first, ...others] = endpoints.map(endpoint => ({
    method: endpoint.method,
    listener: listenerOf(endpoint, context, allow),
  }));
  if (!first) throw new Error('a path without an endpoint');
  if (others.length === 0) return first.listener;
  return (request, response, target) => {
    const { listener } = others.find(({ method }) => method === request.method) ?? first;
    listener(request, response, target);
  };
}

/** Returns the HTTP methods that an endpoint accepts, separated by commas. Empty if it accepts all methods. */
function methodsOf({ method, acceptsHead }: Endpoint): string {
  if (method === undefined) return '';
  return acceptsHead ? `${method}, HEAD` : method;
}

class RouteListener {
  readonly #endpoint: Endpoint;
  readonly #context: ListenerContext;
  readonly #answers: RouteAnswers;
  readonly #allow: string;
  #overloadLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(endpoint: Endpoint, context: ListenerContext, allow: string) {
    this.#endpoint = endpoint;
    this.#context = context;
    this.#allow = allow;
    this.#answers = context.metrics.answersOf(endpoint.name);
  }

  answerRequest(request: Request, response: Response, target: Target | undefined): void {
    const began = performance.now();
    const exchange = createExchange(request, target);
    exchange.isSampled = this.#context.answers.takeSample();
    this.#context.cors.addHeaders(exchange);
    let reply: Reply | Promise<Reply>;
    try {
      reply = this.#answer(exchange);
    } catch (thrown) {
      this.#finishWithError(exchange, response, began, thrown);
      return;
    }
    if (reply instanceof Promise) {
      reply.then(
        settled => this.#finish(exchange, response, began, settled),
        thrown => this.#finishWithError(exchange, response, began, thrown),
      );
    } else {
      this.#finish(exchange, response, began, reply);
    }
  }

  #answer(exchange: Exchange): Reply | Promise<Reply> {
    const endpoint = this.#endpoint;
    const { method } = exchange.request;
    if (method === endpoint.method || endpoint.method === undefined) return endpoint.answer(exchange);
    // The endpoint answers HEAD like GET, because Node leaves out the body in the answer to HEAD.
    if (method === 'HEAD' && endpoint.acceptsHead) return endpoint.answer(exchange);
    const preflight = endpoint.preflights
      ? this.#context.cors.preflightHeaders(exchange, this.#allow)
      : undefined;
    if (preflight) return { status: 204, headers: preflight };
    exchange.headers.Allow = this.#allow;
    const methods = this.#allow.replaceAll(', ', ' and ');
    const message = `Only ${methods} requests are accepted here; this was ${method}.`;
    throw new ServiceError(endpoint.wrongMethod, message);
  }

  #finish(exchange: Exchange, response: Response, began: number, reply: Reply): void {
    // No answer is sent, because the caller closed the connection.
    if (response.destroyed) return;
    try {
      if (this.#context.draining()) exchange.headers.Connection = 'close';
      const sending = sendReply(exchange, response, reply);
      if (sending === undefined) this.#countAnswer(exchange, began, reply);
      else
        sending.then(
          () => this.#countAnswer(exchange, began, reply),
          error => this.#abortResponse(response, error),
        );
    } catch (error) {
      this.#abortResponse(response, error);
    }
  }

  #finishWithError(exchange: Exchange, response: Response, began: number, thrown: unknown): void {
    if (thrown instanceof CallerGone) {
      // Closes the connection if it is still open. The request gets no answer, so nothing else would close it.
      response.destroy();
      return;
    }
    if (thrown === overloaded) {
      this.#shedRequest(exchange, response, began);
      return;
    }
    const error = asServiceError(thrown);
    if (error !== thrown) this.#context.log.error({ ...originOf(exchange), err: thrown }, 'defect');
    this.#finish(exchange, response, began, errorReply(error, exchange.id));
  }

  /**
   * Refuses a request because too many requests are in progress. Then reads nothing from its connection for some
   * seconds, because a caller that retries at once would take CPU time from others.
   */
  #shedRequest(exchange: Exchange, response: Response, began: number): void {
    const { log, draining, paused } = this.#context;
    // Logs refusals at most once a second, because an overloaded gateway can refuse thousands of requests per second.
    if (began - this.#overloadLoggedAt >= 1000) {
      this.#overloadLoggedAt = began;
      log.warn(
        { route: this.#endpoint.name },
        'too many requests in progress; further requests are refused with 503',
      );
    }
    const seconds = draining() ? 1 : paused.pauseConnection(exchange, response, performance.now());
    this.#finish(exchange, response, began, overloadReply(exchange.id, seconds));
  }

  #countAnswer(exchange: Exchange, began: number, reply: Reply): void {
    const seconds = (performance.now() - began) / 1000;
    this.#answers.countAnswer(reply.status, seconds);
    if (exchange.isSampled || reply.code !== undefined)
      this.#context.answers.logAnswer(exchange, this.#endpoint.name, reply, seconds);
  }

  #abortResponse(response: Response, error: unknown): void {
    this.#context.log.error({ err: error, route: this.#endpoint.name }, 'an answer could not be sent');
    response.destroy();
  }
}
