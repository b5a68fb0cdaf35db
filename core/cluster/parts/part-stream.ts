import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { FetchPartsRequest } from '../../../proto/generated/gsq/v1/FetchPartsRequest.ts';
import type { FetchPartsResponse__Output } from '../../../proto/generated/gsq/v1/FetchPartsResponse.ts';
import type { PartCall } from '../../../proto/generated/gsq/v1/PartCall.ts';
import type { PartReply__Output } from '../../../proto/generated/gsq/v1/PartReply.ts';
import { fromRpcStatus } from '../../../proto/service-error.ts';
import type { PartResult } from '../../servers/cluster-servers.ts';
import { tooBusy } from './owner-away.ts';
import { MAX_PART_CALLS, type PartRequest, partCall, readPartServer } from './part-messages.ts';

/** A gRPC stream of FetchParts, by which a core fetches servers of another core. */
export type PartDuplex = ClientDuplexStream<FetchPartsRequest, FetchPartsResponse__Output>;

type Results = readonly (PartResult | undefined)[];

/** A call without a reply yet, on a stream to another core. */
interface PendingPart {
  request: PartRequest;
  settle(results: Results): void;
  fail(error: Error): void;
}

const busy = tooBusy({ max_calls: String(MAX_PART_CALLS) });

/**
 * One open gRPC stream (FetchParts) to another core. All calls of one turn of the event loop share one message. If the
 * stream ends, unanswered calls resolve without results, and must be repeated.
 */
export class PartStream {
  readonly #duplex: PartDuplex;
  readonly #calls = new Map<number, PendingPart>();
  #queue: PartCall[] = [];
  #lastId = 0;
  #hasEnded = false;

  /** `onEnd`: called once when the stream of FetchParts to the other core has ended. */
  constructor(duplex: PartDuplex, onEnd: () => void) {
    this.#duplex = duplex;
    duplex.on('data', ({ replies }: FetchPartsResponse__Output) => {
      for (const reply of replies) this.#addReply(reply);
    });
    // Without a listener for `error`, Node would throw the error. gRPC emits `status` after each error, and the
    // listener of `status` handles the error.
    duplex.on('error', () => {});
    duplex.on('status', () => {
      this.#hasEnded = true;
      onEnd();
      for (const call of this.#calls.values()) call.settle(noResults(call.request));
      this.#calls.clear();
    });
  }

  /**
   * Fetches servers from another core. Resolves to one result for each server, in order. A result is undefined if the
   * asked core no longer owns the server, or if `signal` was aborted. Rejects with the ServiceError of the asked core,
   * or with CORE_1 if too many calls are in progress.
   */
  fetch(request: PartRequest, signal: AbortSignal): Promise<Results> {
    if (this.#hasEnded || signal.aborted) return Promise.resolve(noResults(request));
    if (this.#calls.size >= MAX_PART_CALLS) return Promise.reject(busy);
    const id = this.#newId();
    if (this.#queue.length === 0) setImmediate(this.#flush);
    this.#queue.push(partCall(id, request));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#calls.delete(id);
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = (): void => {
        end();
        resolve(noResults(request));
      };
      const settle = (results: Results): void => {
        end();
        resolve(results);
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      this.#calls.set(id, { request, settle, fail });
      signal.addEventListener('abort', giveUp);
    });
  }

  /** Cancels the gRPC stream immediately. Unanswered calls resolve without results. */
  cancel(): void {
    this.#duplex.cancel();
  }

  #newId(): number {
    do this.#lastId = (this.#lastId + 1) >>> 0;
    while (this.#calls.has(this.#lastId));
    return this.#lastId;
  }

  readonly #flush = (): void => {
    const calls = this.#queue;
    this.#queue = [];
    if (!this.#hasEnded) this.#duplex.write({ calls });
  };

  #addReply({ id, servers, error }: PartReply__Output): void {
    const call = this.#calls.get(id);
    if (!call) {
      // A reply to an aborted call is ignored. A reply to a call that was never sent breaks the protocol, so the stream
      // is cancelled.
      if (id > this.#lastId) this.cancel();
      return;
    }
    if (error) {
      call.fail(fromRpcStatus(error));
      return;
    }
    try {
      const asked = call.request.servers;
      if (servers.length !== asked.length) throw new Error('the reply has a wrong number of servers');
      call.settle(
        servers.map((server, i) => {
          const ref = asked[i];
          return ref && readPartServer(ref, server);
        }),
      );
    } catch {
      // The core at the other end of the stream has sent a reply that violates the protocol. Therefore the stream is
      // cancelled, which ends all calls on the stream.
      this.cancel();
    }
  }
}

/** Returns the results for a call without a reply: `undefined` for each server. The caller must repeat the call. */
function noResults({ servers }: PartRequest): Results {
  return servers.map(() => undefined);
}
