import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { CallAccount, FetchCall, FetchRequest } from '../../proto/generated/codec/fetch.ts';
import { ServiceError, toRpcStatus } from '../../proto/service-error.ts';
import { writeAccount, writeChecked } from '../../proto/streams/fetch-replies.ts';
import { RefusedError } from '../access/allowance.ts';
import type { Admission } from '../access/authenticator.ts';
import type { Credentials } from '../access/token-index.ts';
import { asText, countSpans, type FetchedPair } from '../servers/fetch-request.ts';
import type { RemoteAnswers } from '../servers/remote-answers.ts';
import { accountFields, type CallEnd, type MethodJournal } from './call-journal.ts';
import type { CallMemories, CallMemory } from './call-memory.ts';
import { type CallOrigin, originOf } from './call-origin.ts';
import { FetchAnswers } from './fetch-answers.ts';
import { chargeFetch, countPairs, credentialsOf, Peer } from './fetch-call.ts';
import type { Handlers } from './handler.ts';
import type { LengthPrefixed } from './length-prefixed.ts';
import { ReplyBatch } from './reply-batch.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';
import { streamEnd } from './stream-end.ts';

/**
 * Maximum number of calls in progress on one FetchStream. Further calls are refused. A message with more calls than
 * this ends the stream.
 */
const MAX_IN_FLIGHT = 1024;

type Stream = ServerDuplexStream<FetchCall[], LengthPrefixed>;

/**
 * Answers the calls that arrive on one FetchStream (a gRPC stream). Sends each answer as soon as it is ready, in any
 * order. Ends when the caller ends the stream or the core shuts down. `memories`: the recent calls of all gateways. The
 * core needs them to recognize a call that a gateway repeats.
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
      // While the core shuts down, it ignores new calls and does not count them against the daily quota: the gateway
      // repeats them on a new stream.
      if (closing.aborted) return;
      if (message.length <= MAX_IN_FLIGHT) calls.answerAll(message);
      else reject(tooManyCalls(message.length));
    });
  });
  await Promise.race([streamEnd(stream, closing), flooded]);
  await calls.finish();
}

/** The calls of one FetchStream. This class limits the number of these calls, answers them and sends the replies. */
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
  /**
   * True if the core logs the calls. The core logs the calls of a gateway only at the log level debug, because the
   * gateway logs them itself.
   */
  readonly #isLogged: boolean;
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
    this.#isLogged = !dependencies.trusted || handlers.journal.isVerbose;
  }

  /** Starts to answer all calls that a caller has sent in one message of the FetchStream. */
  answerAll(calls: readonly FetchCall[]): void {
    for (const call of calls) {
      if (this.#inFlight >= MAX_IN_FLIGHT) {
        this.#refuseBusy(call);
        continue;
      }
      this.#inFlight++;
      this.#answer(call).then(this.#answered, this.#answered);
    }
  }

  #refuseBusy(call: FetchCall): void {
    this.#batch.addError(call.id, [], tooBusy);
    if (this.#isLogged) this.#logEnd(this.#fetches, performance.now(), 'CORE_1', call);
  }

  /** Resolves when every call of the FetchStream is answered and all replies are written. */
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
    let account: CallAccount | undefined;
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
        this.#answerCheck(call, admission);
        return;
      }
      const { groups } = fetch;
      if (!isRepeated) {
        chargeFetch(admission, countSpans(groups));
        memory?.noteCharged(id);
      }
      if (!earlier) {
        if (this.#answerKnown(call, fetch, admission)) return;
        const answers = this.#dependencies.fetch.askOwners(false);
        if (answers) {
          await answers.received();
          if (this.#answerKnown(call, fetch, admission, answers)) return;
        }
      }
      const pairs = await (earlier ?? this.#fetchPairs(id, fetch, admission.token.id));
      account = accountOf(call, admission.token.id, pairs);
      this.#answerPairs(call, admission, pairs, account);
    } catch (error) {
      const allowances = error instanceof RefusedError ? error.allowances : (admission?.allowances() ?? []);
      const known =
        error instanceof ServiceError
          ? error
          : this.#handlers.neutral(error, 'FetchStream', callOrigin(call));
      code = known.code;
      const tokenId = error instanceof RefusedError ? error.tokenId : admission?.token.id;
      account = tokenId === undefined ? undefined : accountOf(call, tokenId, []);
      this.#batch.addError(id, allowances, toRpcStatus(known, callOrigin(call).request_id), account);
    } finally {
      if (journal.end(began, code, fetch !== null && fetch.waitMs > 0) && this.#isLogged)
        this.#logEnd(journal, began, code, call, account ?? this.#knownAccount(call, admission));
    }
  }

  // The methods below create closures that `#answer` needs. If `#answer` created them itself, V8 would keep its
  // variables on the heap, and a call with one address would take 8 % more CPU time (`npm run bench:compare`).

  #answerCheck(call: FetchCall, admission: Admission): void {
    this.#batch.addReply(call.id, admission.allowances(), writer => {
      if (call.wantsAccount) writeAccount(writer, this.#knownAccount(call, admission));
      return writeChecked(writer);
    });
  }

  /**
   * Answers a fetch on the fast path, which can only look up servers. Returns false if this is not enough, for example
   * because a server is not tracked yet or belongs to another core. The caller must then use `ServerFetch.askOwners` or
   * `ServerFetch.fetch`. `answers`: the servers of other cores, from `askOwners`.
   */
  #answerKnown(
    call: FetchCall,
    { groups }: FetchRequest,
    admission: Admission,
    answers?: RemoteAnswers,
  ): boolean {
    return this.#batch.addReply(call.id, admission.allowances(), writer => {
      if (!this.#answers.writeKnown(writer, groups, call.acceptGzip, answers)) return false;
      if (call.wantsAccount) writeAccount(writer, this.#knownAccount(call, admission));
      return true;
    });
  }

  /**
   * Executes a fetch that the fast path cannot answer, for example because servers must be inserted. `#memory` stores
   * the fetch, so a call and its repetition by the gateway share one fetch. The repeated call can start the fetch first
   * if the original call still waits for other cores.
   */
  #fetchPairs(id: number, { groups, waitMs }: FetchRequest, tokenId: string): Promise<FetchedPair[]> {
    const fetch = (): Promise<FetchedPair[]> =>
      this.#dependencies.fetch.fetch(asText(groups), tokenId, waitMs);
    return this.#memory ? this.#memory.fetchOnce(id, countSpans(groups), fetch) : fetch();
  }

  /**
   * Answers a fetch with the result of `ServerFetch.fetch`. Reads the remaining quota only now, because other calls of
   * the same token can use quota while the fetch waits for a probe.
   */
  #answerPairs(
    { id, wantsAccount }: FetchCall,
    admission: Admission,
    pairs: readonly FetchedPair[],
    account: CallAccount,
  ): void {
    this.#batch.addReply(id, admission.allowances(), writer => {
      if (wantsAccount) writeAccount(writer, account);
      return this.#answers.writePairs(writer, pairs);
    });
  }

  /**
   * Returns the data of a call for the access log. For a fetch, reads the number of invalid addresses from
   * `knownInvalid`, which the next fetch overwrites. Therefore call this method directly after `#answerKnown`.
   */
  #knownAccount(call: FetchCall, admission: Admission | undefined): CallAccount {
    const account = accountOf(call, admission?.token.id ?? '', []);
    if (call.fetch) account.invalid = this.#dependencies.fetch.knownInvalid;
    return account;
  }

  #logEnd(
    journal: MethodJournal,
    began: number,
    code: CallEnd,
    call: FetchCall,
    account?: CallAccount,
  ): void {
    const { trusted } = this.#dependencies;
    const caller = (trusted && call.caller ? call.caller : this.#peer).address;
    journal.logEnd(began, code, caller, () => ({
      ...callOrigin(call),
      caller,
      ...(account && accountFields(account)),
    }));
  }
}

/**
 * Returns the data of a call for the access log (`CallAccount`). `pairs`: the results of the call's fetch, one for each
 * pair of a game and an address.
 */
function accountOf({ fetch }: FetchCall, tokenId: string, pairs: readonly FetchedPair[]): CallAccount {
  const account = { tokenId, addresses: fetch ? countSpans(fetch.groups) : 0, inserted: 0, invalid: 0 };
  countPairs(account, pairs);
  return account;
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

// All refused calls get the same error object, because a flood of calls must not create an error object for each call.
const tooBusy = toRpcStatus(
  new ServiceError('CORE_1', 'Too many calls are under way on this stream; try again shortly.', {
    retryAfterSeconds: 1,
    facts: { max_calls: String(MAX_IN_FLIGHT) },
  }),
);
