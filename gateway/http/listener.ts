import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ReasonCode } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Logger } from '../../runtime/log.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Cors } from './cors.ts';
import { asServiceError, CallerGone, errorReply } from './error-reply.ts';
import { createExchange, type Exchange, type Reply } from './exchange.ts';
import { send } from './send.ts';

/** What serves one path. */
export interface Endpoint {
  /** For metrics and logs. */
  name: string;
  /** The one method it takes. */
  method: string;
  /** The code of the answer to any other. */
  wrongMethod: ReasonCode;
  /** Whether pages of other origins may send it preflights. */
  preflights: boolean;
  answer(exchange: Exchange): Promise<Reply>;
}

export interface ListenerContext {
  log: Logger;
  metrics: Metrics;
  cors: Cors;
  /** True from the moment the gateway stops: connections are closed after their answer. */
  draining: () => boolean;
}

/** The plain request listener of an endpoint: it needs no framework and never throws. */
export function listenerOf(endpoint: Endpoint, context: ListenerContext): RequestListener {
  const { log, metrics, cors } = context;

  async function answer(exchange: Exchange): Promise<Reply> {
    const { method } = exchange.request;
    if (method === endpoint.method) return endpoint.answer(exchange);
    const preflight = endpoint.preflights ? cors.preflight(exchange, endpoint.method) : undefined;
    if (preflight) return { status: 204, headers: preflight };
    exchange.headers.Allow = endpoint.method;
    const message = `Only ${endpoint.method} requests are accepted here; this was ${method}.`;
    throw new ServiceError(endpoint.wrongMethod, message);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const exchange = createExchange(request);
    cors.admit(exchange);
    let reply: Reply;
    try {
      reply = await answer(exchange);
    } catch (thrown) {
      if (thrown instanceof CallerGone) return;
      const error = asServiceError(thrown);
      if (error !== thrown) log.error({ err: thrown, request_id: exchange.id }, 'defect');
      reply = errorReply(error, exchange.id);
    }
    if (context.draining()) exchange.headers.Connection = 'close';
    await send(exchange, response, reply);
    const seconds = (performance.now() - began) / 1000;
    metrics.observe(endpoint.name, reply.status, seconds);
    const level = reply.status >= 500 ? 'warn' : 'debug';
    log[level]({ request_id: exchange.id, route: endpoint.name, status: reply.status, seconds }, 'answered');
  }

  return (request, response) => {
    serve(request, response).catch(error => {
      log.error({ err: error, route: endpoint.name }, 'an answer could not be sent');
      response.destroy();
    });
  };
}
