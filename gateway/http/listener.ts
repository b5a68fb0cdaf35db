import type { ReasonCode } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Logger } from '../../runtime/log.ts';
import type { Metrics, RouteAnswers } from '../ops/metrics.ts';
import { overloaded } from '../upstream/core-errors.ts';
import type { AnswerLog } from './answer-log.ts';
import type { Cors } from './cors.ts';
import { asServiceError, CallerGone, errorReply } from './error-reply.ts';
import { createExchange, type Exchange, type Reply, type Request, type Response } from './exchange.ts';
import { overloadReply } from './overload-reply.ts';
import type { PausedConnections } from './paused-connections.ts';
import type { PlainRequest } from './plain-request.ts';
import { originOf } from './request-origin.ts';
import { sendReply } from './send.ts';

/** Answers the requests for one path. */
export interface Endpoint {
  /** The name of the route in metrics and logs. */
  name: string;
  /** The only HTTP method that the endpoint accepts. Undefined if it accepts all methods. */
  method: string | undefined;
  /** The error code for a request whose HTTP method is wrong. */
  wrongMethod: ReasonCode;
  /** True if the gateway answers CORS preflights for this endpoint. */
  preflights: boolean;
  /**
   * Returns true if the endpoint can answer this plain request, which was parsed without node:http. If false, node:http
   * parses the request instead.
   */
  acceptsPlain(request: PlainRequest): boolean;
  /**
   * Answers a request. Throws or rejects with ServiceError if the request is refused, and with CallerGone if the caller
   * closed its connection. Any other error is a bug in gsq.
   */
  answer(exchange: Exchange): Reply | Promise<Reply>;
}

/** Logger, metrics and other objects that the listeners of all endpoints share. */
export interface ListenerContext {
  log: Logger;
  answers: AnswerLog;
  metrics: Metrics;
  cors: Cors;
  paused: PausedConnections;
  /** Returns true while the gateway drains. Then every connection is closed after its answer. */
  draining: () => boolean;
}

/** Handles one request. Must answer every request, immediately or later. */
export type Listener = (request: Request, response: Response) => void;

/**
 * Returns the request listener of an endpoint. The listener works without a framework and never throws. If the endpoint
 * returns a reply instead of a promise, the listener processes the reply synchronously.
 */
export function listenerOf(endpoint: Endpoint, context: ListenerContext): Listener {
  const route = new RouteListener(endpoint, context);
  return (request, response) => route.answerRequest(request, response);
}

class RouteListener {
  readonly #endpoint: Endpoint;
  readonly #context: ListenerContext;
  readonly #answers: RouteAnswers;
  #overloadLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(endpoint: Endpoint, context: ListenerContext) {
    this.#endpoint = endpoint;
    this.#context = context;
    this.#answers = context.metrics.answersOf(endpoint.name);
  }

  answerRequest(request: Request, response: Response): void {
    const began = performance.now();
    const exchange = createExchange(request);
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
    const preflight = endpoint.preflights
      ? this.#context.cors.preflightHeaders(exchange, endpoint.method)
      : undefined;
    if (preflight) return { status: 204, headers: preflight };
    exchange.headers.Allow = endpoint.method;
    const message = `Only ${endpoint.method} requests are accepted here; this was ${method}.`;
    throw new ServiceError(endpoint.wrongMethod, message);
  }

  #finish(exchange: Exchange, response: Response, began: number, reply: Reply): void {
    // There is nobody to answer, because the caller closed the connection.
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
    if (thrown instanceof CallerGone) return;
    if (thrown === overloaded) {
      this.#shedRequest(exchange, response, began);
      return;
    }
    const error = asServiceError(thrown);
    if (error !== thrown) this.#context.log.error({ ...originOf(exchange), err: thrown }, 'defect');
    this.#finish(exchange, response, began, errorReply(error, exchange.id));
  }

  /** Refuses a request because too many requests are in progress. Pauses the connection of the request. */
  #shedRequest(exchange: Exchange, response: Response, began: number): void {
    const { log, draining, paused } = this.#context;
    // Logs at most once a second, because there can be thousands of refusals per second.
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
