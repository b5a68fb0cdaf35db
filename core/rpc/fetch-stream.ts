import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { FetchCall__Output } from '../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply } from '../../proto/generated/gsq/v1/FetchReply.ts';
import type { FetchStreamRequest__Output } from '../../proto/generated/gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse } from '../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import { ServiceError, toRpcStatus } from '../../proto/service-error.ts';
import { type Allowance, type Caller, RefusedError } from '../access/gate.ts';
import type { Credentials } from '../access/tokens.ts';
import { restAnswer } from '../servers/rest-answer.ts';
import { chargeFetch, credentialsOf, peerAddress } from './fetch-call.ts';
import type { Handlers } from './handler.ts';
import type { ServerServiceParts } from './server-service.ts';
import { streamEnd } from './stream-end.ts';

/** Unanswered calls one stream may have; further ones are refused. One message with more than that ends the stream. */
const MAX_IN_FLIGHT = 1024;
/** A message larger than this goes out before the turn is over. */
const BATCH_BYTES = 1024 * 1024;

type Stream = ServerDuplexStream<FetchStreamRequest__Output, FetchStreamResponse>;

/** Gathers the replies of one turn of the event loop into one message. */
class ReplyBatch {
  readonly #stream: Stream;
  #replies: FetchReply[] = [];
  #bytes = 0;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  add(reply: FetchReply): void {
    this.#replies.push(reply);
    for (const { payload } of reply.fetched?.servers ?? []) this.#bytes += payload?.length ?? 0;
    if (this.#bytes >= BATCH_BYTES) this.flush();
    else if (this.#replies.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    const replies = this.#replies;
    if (replies.length === 0 || this.#stream.destroyed) return;
    this.#replies = [];
    this.#bytes = 0;
    if (this.#stream.write({ replies }) || this.#stream.isPaused()) return;
    // Nobody reads: ask for nothing more until somebody does.
    this.#stream.pause();
    this.#stream.once('drain', () => this.#stream.resume());
  }
}

/** Answers the calls of one stream, each as soon as it is ready, until the caller ends it or the core closes. */
export async function serveFetchStream(
  stream: Stream,
  parts: ServerServiceParts,
  handlers: Handlers,
): Promise<void> {
  const streamCredentials = credentialsOf(stream.metadata);
  const streamCaller: Caller = { address: peerAddress(stream.getPeer()), domain: '' };
  const batch = new ReplyBatch(stream);
  const inFlight = new Set<Promise<void>>();
  const answer = async (call: FetchCall__Output): Promise<void> => {
    const credentials = call.credentials ?? streamCredentials;
    const caller = parts.trusted && call.caller ? call.caller : streamCaller;
    batch.add(await answerCall(call, credentials, caller, parts, handlers));
  };
  let refuseAll: (error: ServiceError) => void = () => {};
  const flooded = new Promise<never>((_resolve, reject) => {
    refuseAll = reject;
  });
  stream.on('data', ({ calls }: FetchStreamRequest__Output) => {
    if (calls.length > MAX_IN_FLIGHT) {
      refuseAll(new ServiceError('CORE_1', `One message holds at most ${MAX_IN_FLIGHT} calls; split it.`));
      return;
    }
    for (const call of calls) {
      if (inFlight.size >= MAX_IN_FLIGHT) {
        batch.add({ id: call.id, error: tooBusy });
        continue;
      }
      const answering = answer(call).finally(() => inFlight.delete(answering));
      inFlight.add(answering);
    }
  });
  await Promise.race([streamEnd(stream, parts.closing), flooded]);
  await Promise.allSettled(inFlight);
  batch.flush();
}

// Made once: it is given to whoever asks too much.
const tooBusy = toRpcStatus(
  new ServiceError('CORE_1', 'Too many calls are under way on this stream; try again shortly.', {
    retryAfterSeconds: 1,
  }),
);

async function answerCall(
  call: FetchCall__Output,
  credentials: Credentials,
  caller: Caller,
  parts: ServerServiceParts,
  handlers: Handlers,
): Promise<FetchReply> {
  const { id } = call;
  let allowances: Allowance[] = [];
  try {
    const admission = await parts.gate.admit(credentials, caller);
    allowances = admission.allowances();
    if (!call.fetch) return { id, checked: {}, allowances };
    const { servers, waitMs } = call.fetch;
    chargeFetch(admission, servers);
    const pairs = await parts.fetch.fetch(servers, admission.token.id, waitMs);
    return {
      id,
      fetched: restAnswer(pairs, parts.now(), parts.freshness),
      allowances: admission.allowances(),
    };
  } catch (error) {
    if (error instanceof RefusedError) allowances = error.allowances;
    const known =
      error instanceof ServiceError ? error : handlers.neutral(error, 'FetchStream', call.requestId);
    return { id, error: toRpcStatus(known), allowances };
  }
}
