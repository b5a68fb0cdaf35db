import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ChangeServersRequest__Output } from '../../proto/generated/gsq/v1/ChangeServersRequest.ts';
import type { ChangeServersResponse } from '../../proto/generated/gsq/v1/ChangeServersResponse.ts';
import type { ClusterServiceHandlers } from '../../proto/generated/gsq/v1/ClusterService.ts';
import type { FetchPartsRequest__Output } from '../../proto/generated/gsq/v1/FetchPartsRequest.ts';
import type { FetchPartsResponse } from '../../proto/generated/gsq/v1/FetchPartsResponse.ts';
import type { PartCall__Output } from '../../proto/generated/gsq/v1/PartCall.ts';
import type { PartReply } from '../../proto/generated/gsq/v1/PartReply.ts';
import { ServiceError, toRpcStatus } from '../../proto/service-error.ts';
import type { LocalParts } from '../cluster/parts/local-parts.ts';
import { MAX_PART_CALLS, partServer, readChange, readPartCall } from '../cluster/parts/part-messages.ts';
import { MAX_ADDRESSES } from '../servers/fetch-request.ts';
import { originOfMetadata } from './call-origin.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';

type Stream = ServerDuplexStream<FetchPartsRequest__Output, FetchPartsResponse>;

/**
 * When this many results are collected, they are sent in one message. With larger messages, the receiver would wait
 * longer for the first result. The reply to one call is never split, so a message can contain more results.
 */
const BATCH_SERVERS = 64;

/** Objects that `partMethods` needs to handle the calls of other cores. */
export interface PartMethodsDependencies {
  parts: Pick<LocalParts, 'fetch' | 'change'>;
  /** Signal that is aborted when the core begins to shut down. All open streams end then. */
  closing: AbortSignal;
}

/** Creates the methods of ClusterService with which other cores read, insert and change the servers of this core. */
export function partMethods({ parts, closing }: PartMethodsDependencies, handlers: Handlers) {
  return {
    FetchParts: handlers.bidi(async (stream: Stream) => {
      const calls = new PartCalls(stream, parts, handlers);
      const flooded = new Promise<never>((_resolve, reject) => {
        stream.on('data', (message: FetchPartsRequest__Output) => {
          // While this core shuts down, it ignores new calls of another core. They are not lost: when the stream has
          // ended, the other core repeats them.
          if (closing.aborted) return;
          if (message.calls.length <= MAX_PART_CALLS) calls.answerAll(message.calls);
          else reject(badMessage('calls', message.calls.length, MAX_PART_CALLS));
        });
      });
      await Promise.race([streamEnd(stream, closing), flooded]);
      await calls.finish();
    }),

    ChangeServers: handlers.unary<ChangeServersRequest__Output, ChangeServersResponse>(
      async ({ request }) => {
        const { keys } = request;
        const change = readChange(request);
        if (!change) throw unknownAction(request.action);
        if (keys.length > MAX_ADDRESSES) throw badMessage('keys', keys.length, MAX_ADDRESSES);
        const results = await parts.change(change, keys);
        return { servers: results.map(done => (done === undefined ? { moved: true } : { done })) };
      },
    ),
  } satisfies Partial<ClusterServiceHandlers>;
}

/**
 * Answers the calls of one FetchParts stream, and sends the replies. Limits the number of calls that run at the same
 * time.
 */
class PartCalls {
  readonly #stream: Stream;
  readonly #parts: Pick<LocalParts, 'fetch'>;
  readonly #handlers: Handlers;
  #inFlight = 0;
  #onIdle = (): void => {};
  #replies: PartReply[] = [];
  #batched = 0;

  constructor(stream: Stream, parts: Pick<LocalParts, 'fetch'>, handlers: Handlers) {
    this.#stream = stream;
    this.#parts = parts;
    this.#handlers = handlers;
  }

  /** Starts to answer the calls of another core. One message of this core contains all of them. */
  answerAll(calls: readonly PartCall__Output[]): void {
    for (const call of calls) {
      if (this.#inFlight >= MAX_PART_CALLS) {
        this.#addReply({ id: call.id, error: tooBusy });
        continue;
      }
      this.#inFlight++;
      void this.#answer(call).then(reply => {
        this.#addReply(reply);
        this.#inFlight--;
        if (this.#inFlight === 0) this.#onIdle();
      });
    }
  }

  /** Resolves when every call is answered and all replies are written. */
  async finish(): Promise<void> {
    if (this.#inFlight > 0) {
      await new Promise<void>(resolve => {
        this.#onIdle = resolve;
      });
    }
    this.#flush();
  }

  async #answer(call: PartCall__Output): Promise<PartReply> {
    const { id } = call;
    try {
      const request = readPartCall(call);
      if (!request) throw unknownAction(call.action);
      const { action, servers, insertedBy, waitMs } = request;
      if (servers.length > MAX_ADDRESSES) throw badMessage('servers', servers.length, MAX_ADDRESSES);
      const results = await this.#parts.fetch(action, servers, insertedBy, waitMs);
      return { id, servers: results.map(partServer) };
    } catch (error) {
      const origin = originOfMetadata(this.#stream.metadata);
      const known =
        error instanceof ServiceError ? error : this.#handlers.neutral(error, 'FetchParts', origin);
      return { id, error: toRpcStatus(known) };
    }
  }

  /** Queues a reply. Replies that are queued in the same turn of the event loop are sent together. */
  #addReply(reply: PartReply): void {
    if (this.#replies.length === 0) setImmediate(this.#flush);
    this.#replies.push(reply);
    this.#batched += reply.servers?.length ?? 1;
    if (this.#batched >= BATCH_SERVERS) this.#flush();
  }

  /**
   * Sends the collected replies to the other core. If that core reads them too slowly, this core reads no more calls
   * until the replies are sent.
   */
  readonly #flush = (): void => {
    const replies = this.#replies;
    const stream = this.#stream;
    this.#replies = [];
    this.#batched = 0;
    if (replies.length === 0 || stream.destroyed || stream.writableEnded) return;
    if (stream.write({ replies }) || stream.isPaused()) return;
    stream.pause();
    stream.once('drain', () => stream.resume());
  };
}

const tooBusy = toRpcStatus(
  new ServiceError('CORE_1', 'Too many calls are under way on this stream; try again shortly.', {
    retryAfterSeconds: 1,
    facts: { max_calls: String(MAX_PART_CALLS) },
  }),
);

/** Creates the error for a message that has too many elements in one field. `path`: name of the field. */
export function badMessage(path: string, count: number, most: number): ServiceError {
  return new ServiceError('GRPC_1', `The message contains ${count} ${path}; at most ${most} are allowed.`, {
    violations: [{ path, message: `${count} ${path}, at most ${most}` }],
  });
}

function unknownAction(action: string | number): ServiceError {
  const message = `The action ${action} is unknown.`;
  return new ServiceError('GRPC_1', message, { violations: [{ path: 'action', message }] });
}
