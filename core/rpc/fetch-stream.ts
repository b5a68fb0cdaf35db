import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { AddressGroup, Allowance, FetchCall, FetchRequest } from '../../proto/generated/codec/fetch.ts';
import { ServiceError, toRpcStatus } from '../../proto/service-error.ts';
import { writeChecked } from '../../proto/streams/fetch-replies.ts';
import { RefusedError } from '../access/allowance.ts';
import type { Admission } from '../access/authenticator.ts';
import type { Credentials } from '../access/token-index.ts';
import { asText, countSpans, type FetchedPair } from '../servers/fetch-request.ts';
import type { CallEnd, MethodJournal } from './call-journal.ts';
import type { CallMemories, CallMemory } from './call-memory.ts';
import { type CallOrigin, originOf } from './call-origin.ts';
import { FetchAnswers } from './fetch-answers.ts';
import { chargeFetch, credentialsOf, Peer } from './fetch-call.ts';
import type { Handlers } from './handler.ts';
import { ReplyBatch } from './reply-batch.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';
import { streamEnd } from './stream-end.ts';

/**
 * Maximum number of calls in flight on one stream; further calls are refused. If one message contains more calls than
 * this, the stream ends.
 */
const MAX_IN_FLIGHT = 1024;

type Stream = ServerDuplexStream<FetchCall[], Buffer>;

/**
 * Answers the calls of one FetchStream, each as soon as its result is ready. Continues until the caller ends the stream
 * or the core shuts down. `memories`: used only on the internal port, to recognize calls that a gateway sends again.
 */
export async function serveFetchStream(
  stream: Stream,
  dependencies: ServerServiceDependencies,
  handlers: Handlers,
  memories: CallMemories,
): Promise<void> {
  const { closing, trusted } = dependencies;
  const memory = trusted ? memories.memoryFor(stream.metadata) : undefined;
  const calls = new FetchStreamCalls(stream, dependencies, handlers, memory);
  const flooded = new Promise<never>((_resolve, reject) => {
    stream.on('data', (message: FetchCall[]) => {
      // Ignores calls that arrive while the core shuts down. They do not count against the daily quota, because the
      // sender repeats them on a new stream.
      if (closing.aborted) return;
      if (message.length <= MAX_IN_FLIGHT) calls.answerAll(message);
      else reject(tooManyCalls(message.length));
    });
  });
  await Promise.race([streamEnd(stream, closing), flooded]);
  await calls.finish();
}

/** The calls of one stream. This class limits their number, answers them and sends the replies. */
class FetchStreamCalls {
  readonly #dependencies: ServerServiceDependencies;
  readonly #handlers: Handlers;
  readonly #answers: FetchAnswers;
  readonly #batch: ReplyBatch;
  readonly #credentials: Credentials;
  readonly #peer: Peer;
  readonly #memory: CallMemory | undefined;
  readonly #fetches: MethodJournal;
  readonly #checks: MethodJournal;
  #inFlight = 0;
  #onIdle = (): void => {};

  constructor(
    stream: Stream,
    dependencies: ServerServiceDependencies,
    handlers: Handlers,
    memory: CallMemory | undefined,
  ) {
    this.#dependencies = dependencies;
    this.#handlers = handlers;
    this.#answers = new FetchAnswers(dependencies);
    this.#batch = new ReplyBatch(stream);
    this.#credentials = credentialsOf(stream.metadata);
    this.#peer = new Peer(stream, dependencies.proxied);
    this.#memory = memory;
    this.#fetches = handlers.journal.of('FetchCall');
    this.#checks = handlers.journal.of('CheckAccess');
  }

  /** Starts to answer all calls of one message. */
  answerAll(calls: readonly FetchCall[]): void {
    for (const call of calls) {
      if (this.#inFlight >= MAX_IN_FLIGHT) {
        this.#batch.addError(call.id, [], tooBusy);
        continue;
      }
      this.#inFlight++;
      this.#answer(call).then(this.#answered, this.#answered);
    }
  }

  /** Resolves when every call is answered and all replies are written. */
  async finish(): Promise<void> {
    if (this.#inFlight > 0) {
      await new Promise<void>(resolve => {
        this.#onIdle = resolve;
      });
    }
    this.#batch.flush();
  }

  readonly #answered = (): void => {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#onIdle();
  };

  async #answer(call: FetchCall): Promise<void> {
    const { id, fetch } = call;
    const journal = fetch ? this.#fetches : this.#checks;
    const began = journal.begin();
    let code: CallEnd = 'OK';
    let admission: Admission | undefined;
    try {
      const dependencies = this.#dependencies;
      const { trusted, authenticator } = dependencies;
      const caller = trusted && call.caller ? call.caller : this.#peer;
      const memory = this.#memory;
      const earlier = memory?.findFetch(id);
      const isRepeated = earlier !== undefined || memory?.wasCharged(id) === true;
      const wasParked = trusted && call.held;
      const credentials = call.credentials ?? this.#credentials;
      admission = await authenticator.admit(credentials, caller, wasParked, isRepeated);
      if (!fetch) {
        this.#batch.addReply(id, admission.allowances(), writeChecked);
        return;
      }
      const { groups } = fetch;
      if (!isRepeated) {
        chargeFetch(admission, countSpans(groups));
        memory?.noteCharged(id);
      }
      if (!earlier && this.#answerKnown(call, groups, admission.allowances())) return;
      const pairs = await (earlier ?? this.#fetchPairs(id, fetch, admission.token.id));
      // Reads the remaining quota again, because other calls of the same token can use quota while the fetch waits for
      // a probe.
      this.#answerPairs(id, admission.allowances(), pairs);
    } catch (error) {
      const allowances = error instanceof RefusedError ? error.allowances : (admission?.allowances() ?? []);
      const known =
        error instanceof ServiceError
          ? error
          : this.#handlers.neutral(error, 'FetchStream', callOrigin(call));
      code = known.code;
      this.#batch.addError(id, allowances, toRpcStatus(known, callOrigin(call).request_id));
    } finally {
      journal.end(began, code, fetch !== null && fetch.waitMs > 0, call, callOrigin);
    }
  }

  // `#answerKnown` and `#answerPairs` contain the closures that `#answer` needs. If `#answer` itself contained them, V8
  // would keep its variables in an object on the heap, and a call with one address would take 8 % more CPU time
  // (`npm run bench:compare`).

  /** Answers a fetch of tracked servers. Returns false if `ServerFetch.fetch` must serve the fetch. */
  #answerKnown(
    { id, acceptGzip }: FetchCall,
    groups: readonly AddressGroup[],
    allowances: readonly Allowance[],
  ): boolean {
    return this.#batch.addReply(id, allowances, writer =>
      this.#answers.writeKnown(writer, groups, acceptGzip),
    );
  }

  /** Executes a fetch that must insert servers, and remembers it. */
  #fetchPairs(id: number, { groups, waitMs }: FetchRequest, tokenId: string): Promise<FetchedPair[]> {
    const result = this.#dependencies.fetch.fetch(asText(groups), tokenId, waitMs);
    this.#memory?.rememberFetch(id, countSpans(groups), result);
    return result;
  }

  /** Answers a fetch with the result of `ServerFetch.fetch`. */
  #answerPairs(id: number, allowances: readonly Allowance[], pairs: readonly FetchedPair[]): void {
    this.#batch.addReply(id, allowances, writer => this.#answers.writePairs(writer, pairs));
  }
}

const callOrigin = ({ requestId, traceparent }: FetchCall): CallOrigin => originOf(requestId, traceparent);

function tooManyCalls(count: number): ServiceError {
  return new ServiceError(
    'GRPC_1',
    `The message contains ${count} calls; at most ${MAX_IN_FLIGHT} are allowed. Split it.`,
    {
      violations: [{ path: 'calls', message: `${count} calls, at most ${MAX_IN_FLIGHT}` }],
      facts: { calls: String(count), max_calls: String(MAX_IN_FLIGHT) },
    },
  );
}

// All refusals share one object, because a flood of calls must not create an error object for each call.
const tooBusy = toRpcStatus(
  new ServiceError('CORE_1', 'Too many calls are under way on this stream; try again shortly.', {
    retryAfterSeconds: 1,
    facts: { max_calls: String(MAX_IN_FLIGHT) },
  }),
);
