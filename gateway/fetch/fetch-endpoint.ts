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
  /** Bytes of request bodies held at once; one more is refused with CORE_1. */
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
    const share = new BodyShare(this.#held);
    try {
      return await this.#answer(exchange, share);
    } finally {
      share.release();
    }
  }

  async #answer(exchange: Exchange, share: BodyShare): Promise<Reply> {
    const { request } = exchange;
    const wait = preferredWait(headerOf(request, 'prefer'));
    const waitMs = (wait ?? 0) * 1000;
    const body = await readFetchBody(exchange, share);
    // Who is asking comes before what: a body nobody can read still gets its caller checked.
    const reply =
      body instanceof ServiceError
        ? await this.#ask(exchange, { check: {} }, 0, 0)
        : await this.#ask(exchange, { fetch: { ...body.request, waitMs } }, body.bytes, waitMs);
    Object.assign(exchange.headers, rateHeaders(reply.allowances));
    if (reply.outcome === 'error' && reply.error) throw fromRpcStatus(reply.error);
    if (body instanceof ServiceError) throw body;
    if (!reply.fetched) throw new Error('the core answered a fetch with neither payloads nor an error');

    if (wait !== undefined) exchange.headers['Preference-Applied'] = `wait=${wait}`;
    const rendered = renderedBody(reply.fetched);
    const tag = weakTagOf(rendered);
    const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
    if (matchesTag(request.headers['if-none-match'], tag)) return { status: 304, headers };
    return { status: 200, headers, body: rendered };
  }

  #ask(
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
    return link.call(call, bytes + CALL_OVERHEAD_BYTES, timeoutMs + waitMs);
  }
}
