import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Metadata } from '@grpc/grpc-js';
import { ANSWER_ENCODING_KEY } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { callerOf } from '../fetch/caller.ts';
import { readFetchBody } from '../fetch/fetch-body.ts';
import type { FetchCalls } from '../fetch/fetch-calls.ts';
import { isAboutBody } from '../fetch/fetch-endpoint.ts';
import { BodyAllocation, type BodyMemory } from '../fetch/read-body.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { matchesTag, weakTagOf } from '../http/entity-tag.ts';
import { CallerGone } from '../http/error-reply.ts';
import { type Exchange, headerOf, incomingOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import type { Route } from '../http/routes.ts';
import { CallFailed, type JsonCalls, type JsonReply } from '../upstream/json-calls.ts';
import { callMetadata, readAccount, textOf } from './call-metadata.ts';
import type { PublicPaths } from './public-paths.ts';
import { RequestMessages } from './request-message.ts';

/** The objects and settings that every JSON endpoint (route of the REST API) uses. */
export interface JsonContext {
  calls: JsonCalls;
  /**
   * Asks the core to authenticate a caller. Used before a large request body is read, and before an error in a request
   * is reported.
   */
  fetchCalls: FetchCalls;
  bodyMemory: BodyMemory;
  publicPaths: PublicPaths;
  secret: string;
  trustedProxies: number;
}

/**
 * Serves the route of any unary RPC method that returns google.api.HttpBody. Makes the request message from the HTTP
 * request, calls the method for the caller, and returns the JSON of the reply.
 */
export class JsonEndpoint implements Endpoint {
  readonly name: string;
  readonly method: string;
  readonly wrongMethod = 'ROUTE_2';
  readonly preflights = true;
  /**
   * For a GET route, a function that always returns true: the route can answer every plain request (a request that is
   * parsed without node:http). For a route with another method, undefined.
   */
  readonly acceptsPlain?: () => boolean;
  readonly #route: Route;
  readonly #context: JsonContext;
  readonly #messages: RequestMessages;

  constructor(route: Route, context: JsonContext) {
    this.name = routeName(route);
    this.method = route.method;
    this.#route = route;
    this.#context = context;
    this.#messages = new RequestMessages(route);
    if (route.method === 'GET') this.acceptsPlain = () => true;
  }

  async answer(exchange: Exchange): Promise<Reply> {
    if (this.#route.hasBody) return this.#answerBody(exchange, incomingOf(exchange));
    if (this.method !== 'GET') return changeReply(await this.callMethod(exchange));
    const isGzipAccepted = acceptsGzip(exchange.request.headers['accept-encoding']);
    return readReply(exchange, await this.callMethod(exchange, isGzipAccepted ? 'gzip' : 'identity'));
  }

  /**
   * Calls the RPC method of the route with the path and the query of an HTTP request. Rejects with ServiceError if this
   * fails. `encoding`: allows (`gzip`) or forbids (`identity`) compressed JSON. Without `encoding`, the core sends
   * plain JSON and no entity tag (ETag).
   */
  async callMethod(exchange: Exchange, encoding?: 'gzip' | 'identity'): Promise<JsonReply> {
    // Handles the request in three turns of the event loop. In between, the gateway handles fetches that have arrived.
    await nextTurn();
    this.#context.publicPaths.checkHost(exchange.request);
    const message = await this.#readTarget(exchange);
    await nextTurn();
    const metadata = this.#metadataOf(exchange);
    if (encoding !== undefined) metadata.set(ANSWER_ENCODING_KEY, encoding);
    return this.#callCore(exchange, message, metadata);
  }

  /**
   * Makes the RPC request message from the path and the query. If the query is wrong, authenticates the caller before
   * the error is thrown, unless the path is public.
   */
  async #readTarget(exchange: Exchange): Promise<Uint8Array> {
    try {
      return this.#messages.fromTarget(exchange.target);
    } catch (error) {
      const { publicPaths, fetchCalls } = this.#context;
      if (!publicPaths.isPublic(exchange.request)) await fetchCalls.authenticate(exchange);
      throw error;
    }
  }

  #metadataOf(exchange: Exchange): Metadata {
    const { secret, trustedProxies } = this.#context;
    return callMetadata(exchange, secret, trustedProxies);
  }

  /**
   * Calls the RPC method of the route on behalf of the caller of an HTTP request. Rejects with ServiceError if the call
   * fails.
   */
  async #callCore(exchange: Exchange, message: Uint8Array, metadata: Metadata): Promise<JsonReply> {
    const { calls, trustedProxies } = this.#context;
    const { request } = exchange;
    const { socket } = request;
    // The client can hang up between two turns of `callMethod`.
    if (socket.destroyed) throw new CallerGone();
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    socket.once('close', onClose);
    try {
      const caller = callerOf(request, trustedProxies).address;
      const reply = await calls.callCore(
        { method: this.#route.rpcMethod, message, metadata, caller },
        gone.signal,
      );
      readAccount(exchange, reply.metadata);
      return reply;
    } catch (error) {
      if (gone.signal.aborted) throw new CallerGone();
      if (!(error instanceof CallFailed)) throw error;
      readAccount(exchange, error.metadata);
      throw error.error;
    } finally {
      socket.off('close', onClose);
    }
  }

  /**
   * Answers a request whose body is JSON. Errors in the query or the body are reported only after the caller is
   * authenticated.
   */
  async #answerBody(exchange: Exchange, request: IncomingMessage): Promise<Reply> {
    const { bodyMemory, fetchCalls } = this.#context;
    const allocation = new BodyAllocation(bodyMemory, () => fetchCalls.authenticate(exchange));
    try {
      const body = hasNoBody(request) ? NO_BODY : await readFetchBody(exchange, request, allocation);
      if (body instanceof ServiceError) throw body;
      const message = this.#messages.fromBody(exchange.target, body);
      return changeReply(await this.#callCore(exchange, message, this.#metadataOf(exchange)));
    } catch (error) {
      // Closes the connection if a part of the body was not read. Otherwise this part would be parsed as the next
      // request.
      if (!request.complete) exchange.headers.Connection = 'close';
      if (isAboutBody(error) || isAboutQuery(error)) await allocation.authenticateCaller();
      throw error;
    } finally {
      allocation.release();
    }
  }
}

const NO_BODY = Buffer.alloc(0);

const isAboutQuery = (error: unknown): boolean => error instanceof ServiceError && error.code === 'QUERY_1';

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/**
 * Returns the HTTP reply to a GET request. Takes the headers ETag and Cache-Control from the reply of the core, or uses
 * defaults if they are missing there. The body is as the core sent it, either plain or compressed JSON.
 */
export function readReply({ request, headers: { Vary } }: Exchange, { body, metadata }: JsonReply): Reply {
  const tag = textOf(metadata, 'etag') || weakTagOf(body);
  const headers = {
    ETag: tag,
    'Cache-Control': textOf(metadata, 'cache-control') || 'private, no-cache',
    // Makes shared caches store a separate answer for each token, because a caller with a token can see more than a
    // caller without a token.
    Vary: `${Vary}, X-API-Token`,
  };
  if (matchesTag(headerOf(request, 'if-none-match'), tag)) return { status: 304, headers };
  return { status: 200, headers, body, encoded: textOf(metadata, ANSWER_ENCODING_KEY) === 'gzip' };
}

/**
 * Returns the HTTP reply to a request that changes something. Caches must not store it, because the reply to the
 * registration of a webhook contains a secret.
 */
function changeReply({ body }: JsonReply): Reply {
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body };
}

/** Returns the name of a route in metrics and logs: `get_server` for the RPC method `GetServerJson`. */
export function routeName({ rpcMethod: { name } }: Route): string {
  return name
    .replace(/Json$/, '')
    .replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`)
    .toLowerCase();
}
