import type { IncomingMessage } from 'node:http';
import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { FetchReply, OutgoingFetchCall } from '../../proto/generated/codec/fetch.ts';
import { fromRpcStatus, ServiceError } from '../../proto/service-error.ts';
import { writeWait } from '../../proto/streams/fetch-replies.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { matchesTag } from '../http/entity-tag.ts';
import { CallerGone } from '../http/error-reply.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import { PlainRequest } from '../http/plain-request.ts';
import { traceparentOf } from '../ops/request-origin.ts';
import type { CoreLink } from '../upstream/core-link.ts';
import type { CallOutcome } from '../upstream/pending-call.ts';

import { callerOf, credentialsOf } from './caller.ts';
import { isPlain, readFetchBody } from './fetch-body.ts';
import { readFetchRequest } from './fetch-request.ts';
import { preferredWait } from './prefer-wait.ts';
import { addRateHeaders } from './rate-headers.ts';
import { BodyShare, HeldBytes } from './read-body.ts';

export interface FetchEndpointOptions {
  link: CoreLink;
  /** How long the core may take, beyond a wait the caller asked for; milliseconds. */
  timeoutMs: number;
  trustedProxies: number;
  /** Bytes of large request bodies held at once; one more is refused with CORE_1. */
  maxHeldBytes?: number;
}

const MAX_HELD_BYTES = 32 * 1024 * 1024;

/** POST fetch: headers to credentials, body to request, the core's JSON to the caller (SPEC, fetch). */
export class FetchEndpoint implements Endpoint {
  readonly name = 'fetch';
  readonly wrongMethod = 'POST_1';
  readonly preflights = true;
  readonly method: string;
  readonly #options: FetchEndpointOptions;
  readonly #held: HeldBytes;

  constructor(method: string, options: FetchEndpointOptions) {
    this.method = method;
    this.#options = options;
    this.#held = new HeldBytes(options.maxHeldBytes ?? MAX_HELD_BYTES);
  }

  takesPlain(request: PlainRequest): boolean {
    return isPlain(request);
  }

  answer(exchange: Exchange): Promise<Reply> {
    const { request } = exchange;
    if (!(request instanceof PlainRequest) && !isPlain(request)) return this.#answerAny(exchange, request);
    // What nearly every request is: charged and answered in one round trip, with one promise in all.
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
      this.#send(exchange, readFetchRequest(body), wait ?? 0, settled);
    } catch (error) {
      if (isAboutBody(error)) this.#admit(exchange).then(() => reject(error), reject);
      else reject(error);
    }
  }

  /** Admitted first where the body needs it: a large one takes two round trips, and counts twice against the burst limit. */
  async #answerAny(exchange: Exchange, request: IncomingMessage): Promise<Reply> {
    const wait = preferredWait(headerOf(request, 'prefer'));
    const share = new BodyShare(this.#held, () => this.#admit(exchange));
    let reply: FetchReply;
    try {
      const body = await readFetchBody(exchange, request, share);
      if (body instanceof ServiceError) throw body;
      reply = await this.#ask(exchange, () => readFetchRequest(body), wait ?? 0);
    } catch (error) {
      // The rest of a body that is not read stands where the next request would.
      if (!request.complete) exchange.headers.Connection = 'close';
      if (isAboutBody(error)) await share.admit();
      throw error;
    } finally {
      share.release();
    }
    return this.#reply(exchange, reply, wait);
  }

  #reply(exchange: Exchange, reply: FetchReply, wait: number | undefined): Reply {
    take(exchange, reply);
    const { fetched } = reply;
    if (!fetched) throw new Error('the core answered a fetch with neither an answer nor an error');
    if (wait !== undefined) exchange.headers['Preference-Applied'] = `wait=${wait}`;
    const tag = `W/"${fetched.tag}"`;
    const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
    if (matchesTag(exchange.request.headers['if-none-match'], tag)) return { status: 304, headers };
    return { status: 200, headers, body: fetched.body, encoded: fetched.gzipped };
  }

  /** Rejects where the caller may not fetch; charges nothing. */
  async #admit(exchange: Exchange): Promise<void> {
    take(exchange, await this.#ask(exchange, () => undefined, 0));
  }

  #ask(exchange: Exchange, read: () => ByteWriter | undefined, wait: number): Promise<FetchReply> {
    return new Promise((succeed, fail) => {
      this.#send(exchange, read(), wait, { succeed, fail });
    });
  }

  /** Sends one call for the caller. */
  #send({ request, id }: Exchange, fetch: ByteWriter | undefined, wait: number, outcome: CallOutcome): void {
    const { link, timeoutMs, trustedProxies } = this.#options;
    const waitMs = wait * 1000;
    if (fetch) writeWait(fetch, waitMs);
    const call: OutgoingFetchCall = {
      id: 0,
      credentials: credentialsOf(request),
      caller: callerOf(request, trustedProxies),
      requestId: id,
      fetch: fetch ?? null,
      check: fetch ? null : CHECK,
      acceptGzip: acceptsGzip(request.headers['accept-encoding']),
      held: false,
      traceparent: traceparentOf(request) ?? '',
    };
    link.send(call, timeoutMs + waitMs, outcome, waitMs > 0);
  }
}

/** Settles the promise of a reply when the call it is made of ends. */
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
/** A CheckAccess. */
const CHECK = {};

/** Who is asking comes before what: a body nobody can read still gets its caller checked. */
function isAboutBody(error: unknown): boolean {
  return error instanceof ServiceError && ['POST_2', 'POST_4', 'POST_5'].includes(error.code);
}

/** Sets the rate headers, in any case, and throws what the core refuses the call with. */
function take(exchange: Exchange, { allowances, error }: FetchReply): void {
  addRateHeaders(exchange.headers, allowances);
  if (error) throw fromRpcStatus(error);
}
