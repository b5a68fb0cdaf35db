import { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientReadableStream, type StatusObject, status } from '@grpc/grpc-js';
import type { ServiceError } from '../../proto/service-error.ts';
import { slowReader } from '../../proto/streams/slow-reader.ts';
import { CallerGone } from '../http/error-reply.ts';
import type { Response } from '../http/exchange.ts';
import { coreAway } from '../upstream/core-errors.ts';
import { type EventFormat, endEvent, readEventLine } from './event-format.ts';

/** Functions with which the gateway opens an event stream of the core for a client, and reads its events and errors. */
export interface EventSource {
  /**
   * Opens an event stream of the core that continues after `resumeToken`. Calls `ready` before each message, and
   * delivers the message when the promise of `ready` resolves. `isRepeated`: true for a reconnection, which does not
   * count against the client's limits.
   */
  open(resumeToken: string, isRepeated: boolean, ready: () => Promise<void>): ClientReadableStream<Buffer>;
  /** Extracts the event, as one line of JSON, from a gRPC message of the core's event stream. */
  lineIn(message: Buffer): Buffer;
  translateError(status: StatusObject): ServiceError;
}

/** Time limits of event streams, in milliseconds. */
export interface EventTimes {
  /**
   * If the core sends nothing for this time, a new event stream counts as accepted: the core would have sent a refusal
   * immediately.
   */
  acceptMs: number;
  /**
   * Maximum time for which the gateway tries to reopen a broken stream from the core. After this time, it ends the
   * client's stream. Must be shorter than the usual timeout of an idle connection, because the client gets no data
   * meanwhile.
   */
  absenceMs: number;
}

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;
/**
 * Shortest and longest time that the gateway tells a client to wait before it opens its stream again, ms. The time is
 * random, so that the clients of a gateway do not all reconnect at the same moment.
 */
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 5_000;
/**
 * Error codes of the core after which the gateway can open an event stream again, and continue after the last event.
 */
const RESUMABLE: ReadonlySet<string> = new Set(['CORE_1', 'CORE_2', 'INTERNAL_1']);

/**
 * One event stream of a client. Passes on the events of a stream from the core. If the stream from the core breaks,
 * opens a new one. Reads the next event only when the client has taken the previous ones (backpressure).
 */
export class EventStream {
  readonly #source: EventSource;
  readonly #format: EventFormat;
  readonly #times: EventTimes;
  readonly #accepted = new Deferred<void>();
  /** Resolves to the response as soon as events can be written to it, or to undefined if the stream is over before. */
  readonly #started = new Deferred<ServerResponse | undefined>();
  readonly #over = new AbortController();
  #response: ServerResponse | undefined;
  #call: ClientReadableStream<Buffer> | undefined;
  #isAccepted = false;
  #lastId: string;
  /**
   * Time at which the gateway lost the stream from the core (performance.now). Undefined if no stream was lost, or if a
   * later stream has delivered an event with an id. After `absenceMs` without such an event, the gateway gives up.
   */
  #lostAt: number | undefined;

  /** `resumeToken`: id of the last event that the client has received; empty if it has none. */
  constructor(source: EventSource, format: EventFormat, times: EventTimes, resumeToken: string) {
    this.#source = source;
    this.#format = format;
    this.#times = times;
    this.#lastId = resumeToken;
    // Without this handler, Node would report an unhandled rejection if the stream ends while nobody awaits
    // `#accepted`.
    this.#accepted.promise.catch(() => {});
  }

  /** Signal that is aborted when the event stream of the client is over, for whatever reason. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Opens the stream from the core. Resolves when the core has accepted the stream. Rejects with ServiceError if the
   * core refuses it.
   */
  async open(): Promise<void> {
    this.#connect(false);
    const timer = setTimeout(() => this.#accept(), this.#times.acceptMs);
    try {
      await this.#accepted.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Starts to write the events to the response of the client. The head of `response` must be written already. */
  startWriting(response: Response): void {
    if (!(response instanceof ServerResponse))
      throw new Error('an event stream needs a response of node:http');
    this.#response = response;
    response.flushHeaders();
    this.#write(this.#format.retryText(retryMs()));
    if (this.#over.signal.aborted) {
      response.end();
      return;
    }
    this.#started.resolve(response);
  }

  /**
   * Ends the response to the client. If `retry` is true, first tells the client when to open its stream again. Does
   * nothing if the stream is over.
   */
  end(retry = false): void {
    if (this.#over.signal.aborted) return;
    if (retry) this.#write(this.#format.retryText(retryMs()));
    this.#stop();
    this.#response?.end();
  }

  /**
   * Ends the stream because the gateway shuts down. Tells the client when to open its stream again. If the core has not
   * accepted the stream yet, `open` rejects with CORE_1.
   */
  drain(): void {
    this.#accepted.reject(coreAway('The service restarts; open the stream again.'));
    this.end(true);
  }

  /**
   * Ends the response with the event `end`, which contains the error. `retryAfterSeconds` of the error tells the client
   * when to open its stream again. An error without `retryAfterSeconds` is permanent.
   */
  #endWith(error: ServiceError): void {
    const event = endEvent(error, this.#lastId);
    this.#write(this.#format.textOf(Buffer.from(`${JSON.stringify(event)}\n`), event));
    const { retryAfterSeconds } = error.details;
    if (retryAfterSeconds !== undefined) this.#write(this.#format.retryText(retryAfterSeconds * 1_000));
    this.end();
  }

  /** Ends the stream without an answer, because the client has closed its connection. */
  abandon(): void {
    this.#stop();
    this.#response?.destroy();
  }

  #stop(): void {
    this.#over.abort();
    this.#call?.cancel();
    this.#accepted.reject(new CallerGone());
    // Lets grpc-js deliver the message for which `#ready` still waits. Otherwise grpc-js never reports the end of the
    // call, and the call stays in memory.
    this.#started.resolve(undefined);
  }

  #accept(): void {
    this.#isAccepted = true;
    this.#accepted.resolve();
  }

  #connect(isRepeated: boolean): void {
    const call = this.#source.open(this.#lastId, isRepeated, () => this.#ready());
    this.#call = call;
    call.on('data', (message: Buffer) => {
      try {
        this.#pass(this.#source.lineIn(message));
      } catch {
        // The core sent a message that contains no event. A new stream from the core would contain the same faulty
        // message. Therefore the gateway ends the client's stream.
        this.end();
      }
    });
    // An empty listener. Without it, Node would throw the error of a failed gRPC call. The listener for `status`
    // handles the failure.
    call.on('error', () => {});
    call.on('status', (ended: StatusObject) => void this.#onEnd(ended));
  }

  /** Resolves when the response to the client has space for the next event. */
  async #ready(): Promise<void> {
    this.#accept();
    const response = await this.#started.promise;
    if (response?.writableNeedDrain && !this.#over.signal.aborted) await drained(response);
  }

  #pass(line: Buffer): void {
    if (this.#over.signal.aborted) return;
    const event = readEventLine(line);
    this.#lastId = event.id;
    // A lost stream counts as restored only when an event with an id arrives. If the stream is lost again, the gateway
    // can continue after this event. It could not continue after the events of a snapshot, because they have no id.
    if (event.id !== '') this.#lostAt = undefined;
    this.#write(this.#format.textOf(line, event));
  }

  #write(text: string | Buffer): void {
    if (text.length > 0) this.#response?.write(text);
  }

  async #onEnd(ended: StatusObject): Promise<void> {
    if (this.#over.signal.aborted) return;
    const error = ended.code === status.OK ? coreAway() : this.#source.translateError(ended);
    if (!this.#isAccepted) {
      this.#over.abort();
      this.#accepted.reject(error);
      return;
    }
    await this.#started.promise;
    if (this.#over.signal.aborted) return;
    this.#lostAt ??= performance.now();
    const absentMs = performance.now() - this.#lostAt;
    if (!RESUMABLE.has(error.code)) {
      this.#endWith(error);
      return;
    }
    // Does not reopen the stream of a client that reads too slowly, because the core would end each new stream too. The
    // client must open a new stream itself.
    if (absentMs >= this.#times.absenceMs || error.details.facts?.reader === slowReader.reader) {
      this.end(true);
      return;
    }
    const backoff = Math.min(MAX_BACKOFF_MS, Math.max(MIN_BACKOFF_MS, absentMs));
    const { signal } = this.#over;
    // The random delay (jitter) keeps the event streams of all clients from being opened again at the same time.
    await delay(backoff * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    if (!signal.aborted) this.#connect(true);
  }
}

/**
 * Resolves when a response accepts bytes again, or is closed. Then removes the listeners, so that they do not pile up
 * on a stream that waits often.
 */
function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function retryMs(): number {
  return Math.round(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS));
}

/** A promise whose owner resolves or rejects it. Replaces `Promise.withResolvers`, which Node 20 does not have. */
class Deferred<T> {
  readonly promise: Promise<T>;
  resolve: (value: T) => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
