import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { FetchReply, OutgoingFetchCall } from '../../proto/generated/codec/fetch.ts';
import { fromRpcStatus } from '../../proto/service-error.ts';
import { writeWait } from '../../proto/streams/fetch-replies.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import type { Exchange } from '../http/exchange.ts';
import { traceparentOf } from '../http/request-origin.ts';
import type { CoreLinks } from '../upstream/core-links.ts';
import type { CallOutcome } from '../upstream/pending-call.ts';
import { callerOf, credentialsOf } from './caller.ts';
import { addRateHeaders } from './rate-headers.ts';

/** Options of `FetchCalls` (makes calls from the gateway to the core). */
export interface FetchCallsOptions {
  link: Pick<CoreLinks, 'sendCall'>;
  /**
   * Longest time for the core to reply to a call, in milliseconds. If the caller requests a wait (`Prefer: wait`), the
   * duration of this wait is added.
   */
  timeoutMs: number;
  trustedProxies: number;
}

/** An empty CheckAccess message. It requests that the core only authenticates the caller. */
const CHECK = {};

/** Makes calls to the core, with the credentials and the address of the caller of a request. */
export class FetchCalls {
  readonly #options: FetchCallsOptions;

  constructor(options: FetchCallsOptions) {
    this.#options = options;
  }

  /**
   * Authenticates the caller of a request. The call does not count against the caller's daily quota. Rejects with a
   * ServiceError if the caller is not allowed to fetch.
   */
  async authenticate(exchange: Exchange): Promise<void> {
    readRefusal(exchange, await this.callCore(exchange, () => undefined, 0));
  }

  /**
   * Sends a call with the caller's credentials to the core. `read` returns the encoded fetch request, or undefined if
   * the core must only check the credentials.
   */
  callCore(exchange: Exchange, read: () => ByteWriter | undefined, wait: number): Promise<FetchReply> {
    return new Promise((succeed, fail) => {
      this.sendCall(exchange, read(), wait, { succeed, fail });
    });
  }

  /**
   * Sends one call with the caller's credentials to the core. `outcome` receives the result of the call. `fetch`: the
   * encoded request; undefined if the core must only authenticate the caller.
   */
  sendCall(
    { request, id, isSampled }: Exchange,
    fetch: ByteWriter | undefined,
    wait: number,
    outcome: CallOutcome,
  ): void {
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
      // The account is data for the log line, such as the token id. It is requested if this call is in the log sample.
      // Without `fetch`, it is always requested, because the gateway may still refuse the request, and refusals are
      // logged. A refusal by the core contains the account in any case.
      wantsAccount: isSampled || !fetch,
    };
    link.sendCall(call, timeoutMs + waitMs, outcome, waitMs > 0);
  }
}

/**
 * Copies data from a reply of the core to `exchange`: the rate limits, and the account for the log line. If the reply
 * contains an error, throws it.
 */
export function readRefusal(exchange: Exchange, { allowances, account, error }: FetchReply): void {
  if (account) exchange.account = account;
  addRateHeaders(exchange.headers, allowances);
  if (error) throw fromRpcStatus(error);
}
