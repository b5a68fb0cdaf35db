import { setTimeout as delay } from 'node:timers/promises';
import { type StatusObject, status } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import { encodeFetchCall, type OutgoingCall } from '../../proto/fetch-messages.ts';
import { fetchStreamMethod } from '../../proto/fetch-service.ts';
import type { ServerServiceClient } from '../../proto/generated/gsq/v1/ServerService.ts';
import { fromGrpcStatus, ServiceError } from '../../proto/service-error.ts';
import type { Logger } from '../../runtime/log.ts';
import { overloaded } from '../http/overload.ts';
import { CallTable } from './call-table.ts';
import { CoreStream } from './core-stream.ts';
import { type CallOutcome, PendingCall } from './pending-call.ts';

export interface CoreLinkOptions {
  /** The core's internal port, `host:port`. */
  address: string;
  secret: string | undefined;
  log: Logger;
  streams?: number;
  /** Calls not settled yet; one more fails at once with CORE_1. */
  maxInFlight?: number;
  /** In milliseconds, never going back. */
  now?: () => number;
  /** How long calls wait for a stream once there is none, in milliseconds; after that they fail at once. */
  graceMs?: number;
}

// One stream cannot keep one core busy; more than four gain nothing.
const STREAMS = 4;
const MAX_IN_FLIGHT = 1000;
// A burst may fill the queue. One that stays is of no use: it makes every caller wait, and the garbage collector move all
// that waits. So where it was never short for a while, no more than this is taken, until it is.
const MAX_STANDING = 256;
const SHORT = 128;
const BURST_MS = 100;
const GRACE_MS = 1000;
// A message must stay below the 4 MiB a gRPC server accepts by default; one call alone takes little over 1 MiB.
const BATCH_BYTES = 1024 * 1024;
// More than this in one message keep the core waiting for the first: it works on a message while the next is filled.
const BATCH_CALLS = 8;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;
const CLOSE_LIMIT_MS = 500;
const WENT_AWAY = 'The service went away while it worked on this request; try again.';

/** CORE_1: the caller may try again in a second. */
export function coreAway(message = 'The service cannot be reached at the moment; try again.'): ServiceError {
  return new ServiceError('CORE_1', message, { retryAfterSeconds: 1 });
}

/** CORE_2. */
export function coreSlow(): ServiceError {
  return new ServiceError('CORE_2', 'The service did not answer in time; try again in a moment.');
}

/**
 * The way to the core for fetches: a few long-lived FetchStreams. Calls of one turn of the event loop travel in
 * one message, on the stream with the fewest calls in flight. A stream that dies is opened again.
 */
export class CoreLink {
  readonly #client: ServerServiceClient;
  readonly #secret: string | undefined;
  readonly #log: Logger;
  readonly #maxInFlight: number;
  readonly #now: () => number;
  /** When few calls were in flight, last. */
  #shortAt = Number.NEGATIVE_INFINITY;
  /** Calls in flight that wait for a probe. */
  #probeWaits = 0;
  readonly #graceMs: number;
  readonly #open = new Set<CoreStream>();
  readonly #calls: CallTable;
  /** Calls that no stream has taken yet. */
  #waiting: PendingCall[] = [];
  readonly #closing = new AbortController();
  readonly #slots: Promise<void>[];
  #grace: NodeJS.Timeout | undefined;
  #away = false;
  /** Why streams end, as the log last told it; undefined once one has worked since. */
  #toldReason: string | undefined;
  #flushing = false;
  #idle: () => void = () => {};

  constructor(options: CoreLinkOptions) {
    this.#client = clients.server(options.address);
    this.#secret = options.secret;
    this.#log = options.log;
    this.#maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT;
    this.#calls = new CallTable(this.#maxInFlight);
    this.#now = options.now ?? (() => performance.now());
    this.#graceMs = options.graceMs ?? GRACE_MS;
    this.#startGrace();
    this.#slots = Array.from({ length: options.streams ?? STREAMS }, () => this.#keepOpen());
  }

  /** Whether a call would be sent at once. */
  get connected(): boolean {
    return this.#open.size > 0;
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  /**
   * Sends one call; `timeoutMs` counts from now. It fails with ServiceError: CORE_1 where the core is away, went away
   * or has too much to do, CORE_2 where it did not answer in time. `waits`: for a probe, if need be.
   */
  send(call: OutgoingCall, timeoutMs: number, outcome: CallOutcome, waits = false): void {
    if (this.#closing.signal.aborted || this.#away) {
      outcome.fail(coreAway());
      return;
    }
    if (this.#isFull()) {
      outcome.fail(overloaded);
      return;
    }
    const id = this.#calls.newId();
    const pending = new PendingCall(id, encodeFetchCall(id, call), timeoutMs, outcome, this, waits);
    if (waits) this.#probeWaits++;
    this.#calls.add(pending);
    this.#waiting.push(pending);
    if (this.#waiting.length >= BATCH_CALLS) this.#flush();
    else if (!this.#flushing) {
      this.#flushing = true;
      setImmediate(this.#flushTurn);
    }
  }

  #isFull(): boolean {
    const { size } = this.#calls;
    const now = this.#now();
    const working = size - this.#probeWaits;
    if (working < SHORT) this.#shortAt = now;
    return size >= this.#maxInFlight || (working >= MAX_STANDING && now - this.#shortAt > BURST_MS);
  }

  /** The error of a call whose time is over: with no stream to travel on it is not slowness that kept the answer away. */
  late(): ServiceError {
    return this.connected ? coreSlow() : coreAway();
  }

  /** Told by a call when it is settled. */
  settled(call: PendingCall): void {
    this.#calls.remove(call);
    if (call.waits) this.#probeWaits--;
    if (!call.carrier) this.#waiting.splice(this.#waiting.indexOf(call), 1);
    if (this.#calls.size === 0) this.#idle();
  }

  readonly #flushTurn = (): void => {
    this.#flushing = false;
    this.#flush();
  };

  /** Takes no more calls, waits for those in flight, ends the streams. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    if (this.#calls.size > 0) {
      await new Promise<void>(resolve => {
        this.#idle = resolve;
      });
    }
    clearTimeout(this.#grace);
    for (const stream of this.#open) stream.end();
    const limit = setTimeout(() => {
      for (const stream of this.#open) stream.cancel();
    }, CLOSE_LIMIT_MS);
    await Promise.all(this.#slots);
    clearTimeout(limit);
    this.#client.close();
  }

  #flush(): void {
    while (this.#waiting.length > 0) {
      const stream = this.#freest();
      if (!stream) return;
      stream.send(this.#waiting.splice(0, this.#nextBatch()));
    }
  }

  #freest(): CoreStream | undefined {
    let freest: CoreStream | undefined;
    for (const stream of this.#open) {
      if (stream.writable && (!freest || stream.load < freest.load)) freest = stream;
    }
    return freest;
  }

  /** How many of the calls that wait the next message holds. */
  #nextBatch(): number {
    const waiting = this.#waiting;
    let bytes = 0;
    for (let i = 0; i < waiting.length; i++) {
      bytes += waiting[i]?.message.length ?? 0;
      if (i > 0 && bytes > BATCH_BYTES) return i;
    }
    return waiting.length;
  }

  /** Keeps one stream open until the link closes; never rejects. */
  async #keepOpen(): Promise<void> {
    const { signal } = this.#closing;
    let backoff = MIN_BACKOFF_MS;
    while (!signal.aborted) {
      await this.#connected();
      if (signal.aborted) return;
      const answered = await this.#run();
      backoff = answered ? MIN_BACKOFF_MS : Math.min(backoff * 2, MAX_BACKOFF_MS);
      // Jitter keeps many gateways from coming back in one instant.
      await delay(backoff * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  /** Resolves when the channel is connected, or the link closes. */
  #connected(): Promise<void> {
    return new Promise(resolve => {
      const { signal } = this.#closing;
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#client.waitForReady(Number.POSITIVE_INFINITY, done);
    });
  }

  /** Opens one stream and resolves at its end: whether it ever answered a call. */
  #run(): Promise<boolean> {
    return new Promise(resolve => {
      let answered = false;
      const { path, serialize, deserialize } = fetchStreamMethod;
      const metadata = internalMetadata(this.#secret);
      const duplex = this.#client.makeBidiStreamRequest(path, serialize, deserialize, metadata);
      const stream = new CoreStream(duplex, this.#calls, {
        answered: (call, reply) => {
          answered = true;
          this.#toldReason = undefined;
          call.succeed(reply);
        },
        drained: () => this.#flush(),
        dead: ended => {
          this.#open.delete(stream);
          this.#tellDeath(ended);
          // A stream that never answered may have been refused before the core saw any call.
          const message = answered ? WENT_AWAY : undefined;
          for (const call of this.#calls.filter(({ carrier }) => carrier === stream))
            call.fail(coreAway(message));
          if (this.#open.size === 0) this.#startGrace();
          resolve(answered);
        },
      });
      this.#open.add(stream);
      this.#away = false;
      clearTimeout(this.#grace);
      this.#flush();
    });
  }

  #startGrace(): void {
    clearTimeout(this.#grace);
    if (this.#closing.signal.aborted) return;
    this.#grace = setTimeout(() => {
      this.#away = true;
      for (const call of [...this.#waiting]) call.fail(coreAway());
    }, this.#graceMs);
  }

  /** Every stream meets the same end at every attempt; the log tells it once. */
  #tellDeath(ended: StatusObject): void {
    if (this.#closing.signal.aborted) return;
    const facts = { code: status[ended.code], reason: fromGrpcStatus(ended)?.code };
    const reason = `${facts.code} ${facts.reason}`;
    if (reason === this.#toldReason) return;
    this.#toldReason = reason;
    // A wrong secret does not mend itself, so an operator has to hear of it.
    const level =
      ended.code === status.UNAUTHENTICATED || ended.code === status.UNIMPLEMENTED ? 'error' : 'warn';
    this.#log[level]({ ...facts, details: ended.details }, 'a stream to the core ended');
  }
}
