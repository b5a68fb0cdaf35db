import type { FetchReply, OutgoingCall } from '../../proto/fetch-messages.ts';
import { fromRpcStatus, ServiceError } from '../../proto/service-error.ts';
import type { CoreLink } from '../core/core-link.ts';
import { matchesTag, weakTagOf } from '../http/entity-tag.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import { AnswerGzip } from './answer-gzip.ts';
import { callerOf, credentialsOf } from './caller.ts';
import { readFetchBody } from './fetch-body.ts';
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
  readonly #gzip = new AnswerGzip();

  constructor(method: string, options: FetchEndpointOptions) {
    this.method = method;
    this.#options = options;
    this.#held = new HeldBytes(options.maxHeldBytes ?? MAX_HELD_BYTES);
  }

  async answer(exchange: Exchange): Promise<Reply> {
    const { request } = exchange;
    const wait = preferredWait(headerOf(request, 'prefer'));
    const waitMs = (wait ?? 0) * 1000;
    // Admitted first only where the body needs it: a small one that can be read is charged and answered in one round
    // trip. A large one takes this and the fetch, and so counts twice against the burst limit; large ones are rare
    // enough for that.
    const share = new BodyShare(this.#held, () =>
      this.#ask(exchange, undefined, 0).then(reply => take(exchange, reply)),
    );
    let answer: FetchReply;
    try {
      const groups = await readFetchBody(exchange, share);
      if (groups instanceof ServiceError) {
        // Who is asking comes before what: a body nobody can read still gets its caller checked.
        await share.admit();
        throw groups;
      }
      answer = await this.#ask(exchange, { groups, waitMs }, waitMs);
    } catch (error) {
      // The rest of a body that is not read stands where the next request would.
      if (!request.complete) exchange.headers.Connection = 'close';
      throw error;
    } finally {
      share.release();
    }
    take(exchange, answer);
    const { body, cuts } = answer;
    if (!body) throw new Error('the core answered a fetch with neither an answer nor an error');

    if (wait !== undefined) exchange.headers['Preference-Applied'] = `wait=${wait}`;
    const tag = weakTagOf(body);
    const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
    if (matchesTag(request.headers['if-none-match'], tag)) return { status: 304, headers };
    return { status: 200, headers, body, gzipped: () => this.#gzip.gzip(body, cuts) };
  }

  /** Sends one call for the caller. */
  #ask({ request, id }: Exchange, fetch: OutgoingCall['fetch'], waitMs: number): Promise<FetchReply> {
    const { link, timeoutMs, trustedProxies } = this.#options;
    const call = {
      credentials: credentialsOf(request),
      caller: callerOf(request, trustedProxies),
      requestId: id,
      fetch,
    };
    return link.call(call, timeoutMs + waitMs);
  }
}

/** Sets the rate headers, in any case, and throws what the core refuses the call with. */
function take(exchange: Exchange, { allowances, error }: FetchReply): void {
  addRateHeaders(exchange.headers, allowances);
  if (error) throw fromRpcStatus(error);
}
