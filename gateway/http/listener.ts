import type { ReasonCode } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Logger } from '../../runtime/log.ts';
import type { Metrics } from '../ops/metrics.ts';
import { originOf } from '../ops/request-origin.ts';
import type { Cors } from './cors.ts';
import { asServiceError, CallerGone, errorReply } from './error-reply.ts';
import { createExchange, type Exchange, type Reply, type Request, type Response } from './exchange.ts';
import { overloaded, overloadReply, type RestingConnections } from './overload.ts';
import type { PlainRequest } from './plain-request.ts';
import { send } from './send.ts';

/** What serves one path. */
export interface Endpoint {
  /** For metrics and logs. */
  name: string;
  /** The one method it takes; undefined where it takes all. */
  method: string | undefined;
  /** The code of the answer to any other. */
  wrongMethod: ReasonCode;
  /** Whether pages of other origins may send it preflights. */
  preflights: boolean;
  /** Whether it answers a plain request of its method; those it does not come by node:http. */
  takesPlain(request: PlainRequest): boolean;
  /** Throws, or rejects with, ServiceError or CallerGone; anything else is a defect. */
  answer(exchange: Exchange): Reply | Promise<Reply>;
}

export interface ListenerContext {
  log: Logger;
  metrics: Metrics;
  cors: Cors;
  resting: RestingConnections;
  /** True from the moment the gateway stops: connections are closed after their answer. */
  draining: () => boolean;
}

/** Ends the response of every request. */
export type Listener = (request: Request, response: Response) => void;

/**
 * The plain request listener of an endpoint: it needs no framework and never throws. What the endpoint answers at once
 * is sent at once.
 */
export function listenerOf(endpoint: Endpoint, context: ListenerContext): Listener {
  const { log, metrics, cors, resting, draining } = context;
  const route = endpoint.name;
  const answers = metrics.answersOf(route);
  let toldOverload = Number.NEGATIVE_INFINITY;

  function answer(exchange: Exchange): Reply | Promise<Reply> {
    const { method } = exchange.request;
    if (method === endpoint.method || endpoint.method === undefined) return endpoint.answer(exchange);
    const preflight = endpoint.preflights ? cors.preflight(exchange, endpoint.method) : undefined;
    if (preflight) return { status: 204, headers: preflight };
    exchange.headers.Allow = endpoint.method;
    const message = `Only ${endpoint.method} requests are accepted here; this was ${method}.`;
    throw new ServiceError(endpoint.wrongMethod, message);
  }

  function finish(exchange: Exchange, response: Response, began: number, reply: Reply): void {
    // Nobody is left to answer.
    if (response.destroyed) return;
    try {
      if (draining()) exchange.headers.Connection = 'close';
      const sending = send(exchange, response, reply);
      if (sending === undefined) tell(exchange, began, reply);
      else
        sending.then(
          () => tell(exchange, began, reply),
          error => lose(response, error),
        );
    } catch (error) {
      lose(response, error);
    }
  }

  function refuse(exchange: Exchange, response: Response, began: number, thrown: unknown): void {
    if (thrown instanceof CallerGone) return;
    if (thrown === overloaded) {
      // Once a second, for there may be thousands.
      if (began - toldOverload >= 1000) {
        toldOverload = began;
        log.warn({ route }, 'too many requests in progress; more are told to wait');
      }
      const seconds = draining() ? 1 : resting.rest(exchange, response, performance.now());
      finish(exchange, response, began, overloadReply(exchange.id, seconds));
      return;
    }
    const error = asServiceError(thrown);
    if (error !== thrown) log.error({ ...originOf(exchange), err: thrown }, 'defect');
    finish(exchange, response, began, errorReply(error, exchange.id));
  }

  function tell(exchange: Exchange, began: number, { status, logged }: Reply): void {
    const seconds = (performance.now() - began) / 1000;
    answers.add(status, seconds);
    const level = status >= 500 && !logged ? 'warn' : 'debug';
    if (log.isLevelEnabled(level)) {
      log[level]({ ...originOf(exchange), route, status, seconds }, 'answered');
    }
  }

  function lose(response: Response, error: unknown): void {
    log.error({ err: error, route }, 'an answer could not be sent');
    response.destroy();
  }

  return (request, response) => {
    const began = performance.now();
    const exchange = createExchange(request);
    cors.admit(exchange);
    let reply: Reply | Promise<Reply>;
    try {
      reply = answer(exchange);
    } catch (thrown) {
      refuse(exchange, response, began, thrown);
      return;
    }
    if (reply instanceof Promise) {
      reply.then(
        kept => finish(exchange, response, began, kept),
        thrown => refuse(exchange, response, began, thrown),
      );
    } else {
      finish(exchange, response, began, reply);
    }
  };
}
