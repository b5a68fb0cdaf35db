import type { ServerDuplexStream } from '@grpc/grpc-js';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import {
  type AddressGroup,
  type Allowance,
  type FetchCall,
  openReply,
  writeChecked,
  writeError,
  writeFetched,
} from '../../proto/codec/fetch-messages.ts';
import type { Status__Output } from '../../proto/generated/google/rpc/Status.ts';
import { ServiceError, toRpcStatus } from '../../proto/service-error.ts';
import { RefusedError } from '../access/authenticator.ts';
import { RestAnswer } from '../render/rest-answer.ts';
import { asText, countSpans, type FetchedPair } from '../servers/server-fetch.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import type { CallEnd } from './call-journal.ts';
import { type CallOrigin, originOf } from './call-origin.ts';
import { chargeFetch, credentialsOf, Peer } from './fetch-call.ts';
import type { Handlers } from './handler.ts';
import type { ServerServiceParts } from './server-service.ts';
import { streamEnd } from './stream-end.ts';

/** Unanswered calls one stream may have; further ones are refused. One message with more than that ends the stream. */
const MAX_IN_FLIGHT = 1024;
/**
 * Answers of more servers are left to be compressed in one pass: joined, 100 servers are 35 KB instead of 13
 * (docs/performance.md).
 */
const MAX_JOINED = 128;
/**
 * More replies than this in one message keep their reader waiting for the first: it works on a message while the next is
 * filled. One by one, they cost a caller twice as much.
 */
const BATCH_REPLIES = 8;
/** A message larger than this goes out before the turn is over: callers' windows are seldom larger (HTTP/2). */
const BATCH_BYTES = 64 * 1024;

type Stream = ServerDuplexStream<FetchCall[], Buffer>;

/** Gathers the replies of one turn of the event loop into few messages. */
class ReplyBatch {
  readonly #stream: Stream;
  readonly #writer = new ByteWriter();
  #scheduled = false;
  #replies = 0;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /**
   * Adds a reply whose outcome `write` appends; where that returns false, nothing of the reply stays. Returns what it
   * returned.
   */
  add(id: number, allowances: readonly Allowance[], write: (writer: ByteWriter) => boolean): boolean {
    const writer = this.#writer;
    const before = writer.length;
    let complete = false;
    try {
      const start = openReply(writer, id, allowances);
      complete = write(writer);
      writer.close(start);
    } finally {
      if (!complete) writer.length = before;
    }
    if (complete) this.#replies++;
    if (this.#replies >= BATCH_REPLIES || writer.length >= BATCH_BYTES) this.flush();
    else if (complete && !this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.#flushTurn);
    }
    return complete;
  }

  addError(id: number, allowances: readonly Allowance[], error: Status__Output): void {
    this.add(id, allowances, writer => writeError(writer, error));
  }

  readonly #flushTurn = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  flush(): void {
    this.#replies = 0;
    if (this.#writer.length === 0 || this.#stream.destroyed) return;
    if (this.#stream.write(this.#writer.take()) || this.#stream.isPaused()) return;
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
  const peer = new Peer(stream, parts.proxied);
  const batch = new ReplyBatch(stream);
  const fetches = handlers.journal.of('FetchCall');
  const checks = handlers.journal.of('CheckAccess');
  let inFlight = 0;
  let answeredAll = (): void => {};
  const answer = async (call: FetchCall): Promise<void> => {
    const { id, fetch } = call;
    const journal = fetch ? fetches : checks;
    const began = journal.begin();
    let code: CallEnd = 'OK';
    let allowances: readonly Allowance[] = [];
    try {
      const caller = parts.trusted && call.caller ? call.caller : peer;
      const held = parts.trusted && call.held;
      const admission = await parts.gate.admit(call.credentials ?? streamCredentials, caller, held);
      allowances = admission.allowances();
      if (!fetch) {
        batch.add(id, allowances, writeChecked);
        return;
      }
      chargeFetch(admission, countSpans(fetch.groups));
      allowances = admission.allowances();
      if (call.acceptGzip && batch.add(id, allowances, writer => writeJoined(writer, fetch.groups))) return;
      if (batch.add(id, allowances, writer => writeKnown(writer, fetch.groups))) return;
      const pairs = await parts.fetch.fetch(asText(fetch.groups), admission.token.id, fetch.waitMs);
      // Others were charged while this waited.
      allowances = admission.allowances();
      batch.add(id, allowances, writer => writePairs(writer, pairs));
    } catch (error) {
      if (error instanceof RefusedError) allowances = error.allowances;
      const known =
        error instanceof ServiceError ? error : handlers.neutral(error, 'FetchStream', origin(call));
      code = known.code;
      batch.addError(id, allowances, toRpcStatus(known));
    } finally {
      journal.end(began, code, fetch !== undefined && fetch.waitMs > 0, call, origin);
    }
  };
  const writeKnown = (writer: ByteWriter, groups: readonly AddressGroup[], joined?: FragmentCache): boolean =>
    writeFetched(writer, () => {
      const rest = new RestAnswer(writer, parts.now(), parts.freshness, joined, parts.fetch.texts);
      return parts.fetch.writeKnown(groups, rest) ? rest.end() : undefined;
    });
  const writeJoined = (writer: ByteWriter, groups: readonly AddressGroup[]): boolean =>
    countSpans(groups) <= MAX_JOINED && writeKnown(writer, groups, parts.fetch.parts);
  const writePairs = (writer: ByteWriter, pairs: readonly FetchedPair[]): boolean =>
    writeFetched(writer, () => new RestAnswer(writer, parts.now(), parts.freshness).pairs(pairs));

  const answered = (): void => {
    inFlight--;
    if (inFlight === 0) answeredAll();
  };
  let refuseAll: (error: ServiceError) => void = () => {};
  const flooded = new Promise<never>((_resolve, reject) => {
    refuseAll = reject;
  });
  stream.on('data', (calls: FetchCall[]) => {
    // What comes behind the end is neither charged nor answered: its sender asks again elsewhere.
    if (parts.closing.aborted) return;
    if (calls.length > MAX_IN_FLIGHT) {
      refuseAll(new ServiceError('CORE_1', `One message holds at most ${MAX_IN_FLIGHT} calls; split it.`));
      return;
    }
    for (const call of calls) {
      if (inFlight >= MAX_IN_FLIGHT) {
        batch.addError(call.id, [], tooBusy);
        continue;
      }
      inFlight++;
      answer(call).then(answered, answered);
    }
  });
  await Promise.race([streamEnd(stream, parts.closing), flooded]);
  if (inFlight > 0) {
    await new Promise<void>(resolve => {
      answeredAll = resolve;
    });
  }
  batch.flush();
}

const origin = ({ requestId, traceparent }: FetchCall): CallOrigin => originOf(requestId, traceparent);

// Made once: it is given to whoever asks too much.
const tooBusy = toRpcStatus(
  new ServiceError('CORE_1', 'Too many calls are under way on this stream; try again shortly.', {
    retryAfterSeconds: 1,
  }),
);
