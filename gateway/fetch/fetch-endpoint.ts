import type { IncomingMessage } from 'node:http';
import type { FetchReply } from '../../proto/generated/codec/fetch.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { matchesTag } from '../http/entity-tag.ts';
import { CallerGone } from '../http/error-reply.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import { PlainRequest } from '../http/plain-request.ts';
import type { CallOutcome } from '../upstream/pending-call.ts';
import { hasPlainBody, readFetchBody } from './fetch-body.ts';
import { type FetchCalls, readRefusal } from './fetch-calls.ts';
import { readFetchRequest } from './fetch-request.ts';
import { preferredWait } from './prefer-wait.ts';
import { BodyAllocation, type BodyMemory } from './read-body.ts';

/**
 * Serves `POST /v1/post/fetch` (SPEC, fetch). Sends the credentials and the body of the request to the core, and passes
 * the JSON in the reply of the core to the caller.
 */
export class FetchEndpoint implements Endpoint {
  readonly name = 'fetch';
  readonly wrongMethod = 'POST_1';
  readonly preflights = true;
  readonly method: string;
  readonly #calls: FetchCalls;
  readonly #bodyMemory: BodyMemory;

  constructor(method: string, calls: FetchCalls, bodyMemory: BodyMemory) {
    this.method = method;
    this.#calls = calls;
    this.#bodyMemory = bodyMemory;
  }

  acceptsPlain(request: PlainRequest): boolean {
    return hasPlainBody(request);
  }

  answer(exchange: Exchange): Promise<Reply> {
    const { request } = exchange;
    if (!(request instanceof PlainRequest) && !hasPlainBody(request))
      return this.#answerAny(exchange, request);
    // Fast path for a fetch request with a small, uncompressed JSON body, as nearly all callers send it. It needs only
    // one call to the core and one promise.
    return new Promise((resolve, reject) => {
      if (request instanceof PlainRequest) {
        this.#answerPlain(exchange, request.body, resolve, reject);
        return;
      }
      let body: Buffer | undefined;
      request.on('data', (chunk: Buffer) => {
        body = body ? Buffer.concat([body, chunk]) : chunk;
      });
      request.on('end', () => this.#answerPlain(exchange, body ?? NO_BODY, resolve, reject));
      request.on('aborted', () => reject(new CallerGone()));
      request.on('error', () => reject(new CallerGone()));
    });
  }

  #answerPlain(
    exchange: Exchange,
    body: Buffer,
    resolve: (reply: Reply) => void,
    reject: (error: unknown) => void,
  ): void {
    try {
      const wait = preferredWait(headerOf(exchange.request, 'prefer'));
      const settled = new ReplyPromise(reply => this.#reply(exchange, reply, wait), resolve, reject);
      this.#calls.sendCall(exchange, readFetchRequest(body), wait ?? 0, settled);
    } catch (error) {
      if (isAboutBody(error)) this.#calls.authenticate(exchange).then(() => reject(error), reject);
      else reject(error);
    }
  }

  /**
   * Answers a request whose body is large, compressed or not JSON. A large body needs two calls to the core: to
   * authenticate, and to fetch. Both count against the caller's limit of requests per second.
   */
  async #answerAny(exchange: Exchange, request: IncomingMessage): Promise<Reply> {
    const wait = preferredWait(headerOf(request, 'prefer'));
    const allocation = new BodyAllocation(this.#bodyMemory, () => this.#calls.authenticate(exchange));
    let reply: FetchReply;
    try {
      const body = await readFetchBody(exchange, request, allocation);
      if (body instanceof ServiceError) throw body;
      reply = await this.#calls.callCore(exchange, () => readFetchRequest(body), wait ?? 0);
    } catch (error) {
      // Closes the connection if a part of the body was not read, because this part would be parsed as the next
      // request.
      if (!request.complete) exchange.headers.Connection = 'close';
      if (isAboutBody(error)) await allocation.authenticateCaller();
      throw error;
    } finally {
      allocation.release();
    }
    return this.#reply(exchange, reply, wait);
  }

  #reply(exchange: Exchange, reply: FetchReply, wait: number | undefined): Reply {
    readRefusal(exchange, reply);
    const { fetched } = reply;
    if (!fetched) throw new Error('the core answered a fetch with neither an answer nor an error');
    if (wait !== undefined) exchange.headers['Preference-Applied'] = `wait=${wait}`;
    const tag = `W/"${fetched.tag}"`;
    const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
    if (matchesTag(exchange.request.headers['if-none-match'], tag)) return { status: 304, headers };
    return { status: 200, headers, body: fetched.body, encoded: fetched.gzipped };
  }
}

/**
 * Settles the promise of the HTTP reply to a fetch. Resolves it with a reply made from the result of the core, or
 * rejects it if the call to the core failed.
 */
class ReplyPromise implements CallOutcome {
  readonly #make: (reply: FetchReply) => Reply;
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    make: (reply: FetchReply) => Reply,
    resolve: (reply: Reply) => void,
    reject: (error: unknown) => void,
  ) {
    this.#make = make;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  succeed(reply: FetchReply): void {
    try {
      this.#resolve(this.#make(reply));
    } catch (error) {
      this.#reject(error);
    }
  }

  fail(error: ServiceError): void {
    this.#reject(error);
  }
}

const NO_BODY = Buffer.alloc(0);

/**
 * Returns true if an error is about the request body. Such an error is reported only after the caller is authenticated.
 */
export function isAboutBody(error: unknown): boolean {
  return error instanceof ServiceError && ['POST_2', 'POST_4', 'POST_5'].includes(error.code);
}
