import { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientReadableStream, type StatusObject, status } from '@grpc/grpc-js';
import type { ServiceError } from '../../proto/service-error.ts';
import { slowReader } from '../../proto/streams/slow-reader.ts';
import { CallerGone } from '../http/error-reply.ts';
import type { Response } from '../http/exchange.ts';
import { coreAway } from '../upstream/core-errors.ts';
import { type EventFormat, endEvent, readEventLine } from './event-format.ts';

/** What an event stream needs from its endpoint. */
export interface EventSource {
  /**
   * Opens a stream of the core that goes on after `resumeToken`. `ready` is called before each message, which is
   * delivered when its promise resolves. `isRepeated`: true if the client has not opened a new stream.
   */
  open(resumeToken: string, isRepeated: boolean, ready: () => Promise<void>): ClientReadableStream<Buffer>;
  /** Returns the line in a message of the core. */
  lineIn(message: Buffer): Buffer;
  translateError(status: StatusObject): ServiceError;
}

/** Times of event streams, in milliseconds. */
export interface EventTimes {
  /** The core refuses a stream at once. A stream that is silent for this time counts as accepted. */
  acceptMs: number;
  /** Longest absence of the core that a client does not notice. It is below the timeout of a silent connection. */
  absenceMs: number;
}

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;
/** Range of the random time after which a client opens its stream again. It spreads the clients of a whole gateway. */
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 5_000;
/** Codes with which the core ends a stream that can go on after the last event. */
const RESUMABLE: ReadonlySet<string> = new Set(['CORE_1', 'CORE_2', 'INTERNAL_1']);

/**
 * One event stream of a client. Passes on the events of the core, and opens the stream of the core again when it breaks.
 * Reads the next event only when the client has taken the previous ones, so a client that does not read needs no memory.
 */
export class EventStream {
  readonly #source: EventSource;
  readonly #format: EventFormat;
  readonly #times: EventTimes;
  readonly #accepted = new Deferred<void>();
  readonly #started = new Deferred<ServerResponse>();
  readonly #over = new AbortController();
  #response: ServerResponse | undefined;
  #call: ClientReadableStream<Buffer> | undefined;
  #isAccepted = false;
  #lastId: string;
  /**
   * Time at which the core's stream broke (performance.now). Undefined if the stream can go on after an event that has
   * arrived since. An event within a snapshot has no id, and does not count: a core whose streams always break within the
   * snapshot would otherwise send it again without end.
   */
  #lostAt: number | undefined;

  /** `resumeToken`: id of the last event that the client has received; empty if it has none. */
  constructor(source: EventSource, format: EventFormat, times: EventTimes, resumeToken: string) {
    this.#source = source;
    this.#format = format;
    this.#times = times;
    this.#lastId = resumeToken;
    // A stream that nobody waits for any more must not cause an unhandled rejection.
    this.#accepted.promise.catch(() => {});
  }

  /** Aborted when the stream is over, for whatever reason. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Opens the stream. Resolves when the core has accepted it. Rejects with ServiceError if the core refuses it. */
  async open(): Promise<void> {
    this.#connect(false);
    const timer = setTimeout(() => this.#accept(), this.#times.acceptMs);
    try {
      await this.#accepted.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Starts to write events. The head of the response must be written already. */
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

  /** Ends the response. `retry`: tells the client again when to come back. Does nothing if the stream is over. */
  end(retry = false): void {
    if (this.#over.signal.aborted) return;
    if (retry) this.#write(this.#format.retryText(retryMs()));
    this.#stop();
    this.#response?.end();
  }

  /**
   * Ends the stream because the gateway shuts down. Tells the client when to come back. A stream that the core has not
   * accepted yet is refused: `open` rejects with CORE_1.
   */
  drain(): void {
    this.#accepted.reject(coreAway('The service restarts; open the stream again.'));
    this.end(true);
  }

  /**
   * Ends the response with an event that says why the stream cannot go on. Tells the client when to come back only if that
   * can help: a client that comes back nevertheless gets the error as an answer.
   */
  #endWith(error: ServiceError): void {
    const event = endEvent(error, this.#lastId);
    this.#write(this.#format.textOf(Buffer.from(`${JSON.stringify(event)}\n`), event));
    const { retryAfterSeconds } = error.details;
    if (retryAfterSeconds !== undefined) this.#write(this.#format.retryText(retryAfterSeconds * 1_000));
    this.end();
  }

  /** Ends the stream without an answer, because the client is gone. */
  abandon(): void {
    this.#stop();
    this.#response?.destroy();
  }

  #stop(): void {
    this.#over.abort();
    this.#call?.cancel();
    this.#accepted.reject(new CallerGone());
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
        // The core sent no event, so the next stream would be no better.
        this.end();
      }
    });
    // Without an error listener Node would throw the error. The listener of `status` handles it.
    call.on('error', () => {});
    call.on('status', (ended: StatusObject) => void this.#onEnd(ended));
  }

  /** Resolves when the next event can be written. */
  async #ready(): Promise<void> {
    this.#accept();
    const response = await this.#started.promise;
    if (response.writableNeedDrain && !this.#over.signal.aborted) await drained(response);
  }

  #pass(line: Buffer): void {
    if (this.#over.signal.aborted) return;
    const event = readEventLine(line);
    this.#lastId = event.id;
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
    this.#lostAt ??= performance.now();
    const absentMs = performance.now() - this.#lostAt;
    if (!RESUMABLE.has(error.code)) {
      this.#endWith(error);
      return;
    }
    // A client that reads too slowly must come back itself. The stream would otherwise begin again without end.
    if (absentMs >= this.#times.absenceMs || error.details.facts?.reader === slowReader.reader) {
      this.end(true);
      return;
    }
    const backoff = Math.min(MAX_BACKOFF_MS, Math.max(MIN_BACKOFF_MS, absentMs));
    const { signal } = this.#over;
    // The random delay (jitter) keeps all streams from coming back at the same time.
    await delay(backoff * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    if (!signal.aborted) this.#connect(true);
  }
}

/** Resolves when a response accepts bytes again, or is closed. Leaves no listener behind: a stream waits often. */
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

/** A promise that is settled from outside. Node 20 has no `Promise.withResolvers`. */
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
