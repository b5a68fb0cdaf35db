import type { FetchCall } from '../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply__Output } from '../../proto/generated/gsq/v1/FetchReply.ts';
import { fromRpcStatus, ServiceError } from '../../proto/service-error.ts';
import type { CoreLink } from '../core/core-link.ts';
import { matchesTag, weakTagOf } from '../http/entity-tag.ts';
import { type Exchange, headerOf, type Reply } from '../http/exchange.ts';
import type { Endpoint } from '../http/listener.ts';
import { callerOf, credentialsOf } from './caller.ts';
import { readFetchBody } from './fetch-body.ts';
import { preferredWait } from './prefer-wait.ts';
import { rateHeaders } from './rate-headers.ts';
import { BodyShare, HeldBytes } from './read-body.ts';
import { renderedBody } from './rendered-body.ts';

export interface FetchEndpointOptions {
  link: CoreLink;
  /** How long the core may take, beyond a wait the caller asked for; milliseconds. */
  timeoutMs: number;
  trustedProxies: number;
  /** Bytes of large request bodies held at once; one more is refused with CORE_1. */
  maxHeldBytes?: number;
}

const MAX_HELD_BYTES = 32 * 1024 * 1024;
// Credentials, caller and ids of one call.
const CALL_OVERHEAD_BYTES = 4 * 1024;

/** POST fetch: headers to credentials, body to request, rendered payloads to one JSON object (SPEC, fetch). */
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

  async answer(exchange: Exchange): Promise<Reply> {
    // Only where the body needs it: a small one that can be read is charged and answered in one round trip. A large
    // one takes this and the fetch, and so counts twice against the burst limit; large ones are rare enough for that.
    let admission: Promise<unknown> | undefined;
    const admit = (): Promise<unknown> => {
      admission ??= this.#ask(exchange, { check: {} }, 0, 0);
      return admission;
    };
    const share = new BodyShare(this.#held, admit);
    try {
      return await this.#answer(exchange, share);
    } catch (error) {
      // The rest of a body that is not read stands where the next request would.
      if (!exchange.request.complete) exchange.headers.Connection = 'close';
      throw error;
    } finally {
      share.release();
    }
  }

  async #answer(exchange: Exchange, share: BodyShare): Promise<Reply> {
    const { request } = exchange;
    const wait = preferredWait(headerOf(request, 'prefer'));
    const waitMs = (wait ?? 0) * 1000;
    const body = await readFetchBody(exchange, share);
    if (body instanceof ServiceError) {
      // Who is asking comes before what: a body nobody can read still gets its caller checked.
      await share.admit();
      throw body;
    }
    const reply = await this.#ask(exchange, { fetch: { ...body.request, waitMs } }, body.bytes, waitMs);
    if (!reply.fetched) throw new Error('the core answered a fetch with neither payloads nor an error');

    if (wait !== undefined) exchange.headers['Preference-Applied'] = `wait=${wait}`;
    const rendered = renderedBody(reply.fetched);
    const tag = weakTagOf(rendered);
    const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
    if (matchesTag(request.headers['if-none-match'], tag)) return { status: 304, headers };
    return { status: 200, headers, body: rendered };
  }

  /** Sends one call for the caller. Rejects with what the core refuses it with; the rate headers are set either way. */
  async #ask(
    exchange: Exchange,
    action: Pick<FetchCall, 'fetch' | 'check'>,
    bytes: number,
    waitMs: number,
  ): Promise<FetchReply__Output> {
    const { link, timeoutMs, trustedProxies } = this.#options;
    const call = {
      credentials: credentialsOf(exchange.request),
      caller: callerOf(exchange.request, trustedProxies),
      requestId: exchange.id,
      ...action,
    };
    const reply = await link.call(call, bytes + CALL_OVERHEAD_BYTES, timeoutMs + waitMs);
    Object.assign(exchange.headers, rateHeaders(reply.allowances));
    if (reply.outcome === 'error' && reply.error) throw fromRpcStatus(reply.error);
    return reply;
  }
}
