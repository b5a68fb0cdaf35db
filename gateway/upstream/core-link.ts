import { setTimeout as delay } from 'node:timers/promises';
import { type StatusObject, status } from '@grpc/grpc-js';
import { type ChannelSecurity, clients, internalMetadata } from '../../proto/clients.ts';
import type { OutgoingFetchCall } from '../../proto/generated/codec/fetch.ts';
import type { ServerServiceClient } from '../../proto/generated/gsq/v1/ServerService.ts';
import { fromGrpcStatus, ServiceError } from '../../proto/service-error.ts';
import { encodeFetchCall, fetchStreamMethod } from '../../proto/streams/fetch-service.ts';
import type { Logger } from '../../runtime/log.ts';
import { overloaded } from '../http/overload.ts';
import { CallTable } from './call-table.ts';
import { CoreAbsence } from './core-absence.ts';
import { CoreStream } from './core-stream.ts';
import { type CallOutcome, PendingCall } from './pending-call.ts';

export interface CoreLinkOptions {
  /** The core's internal port, `host:port`. */
  address: string;
  secret: string;
  /** Absent: no TLS. */
  security?: ChannelSecurity | undefined;
  log: Logger;
  streams?: number;
  /** Calls not settled yet; one more fails at once with CORE_1. */
  maxInFlight?: number;
  /** Calls held at once while there is no stream; one more fails at once with CORE_1. */
  maxHeld?: number;
  /** In milliseconds, never going back. */
  now?: () => number;
  /** How long the core may be away, in milliseconds, until calls are held no more and fail at once. */
  holdMs?: number;
}

// One stream cannot keep one core busy; more than four gain nothing.
const STREAMS = 4;
const MAX_IN_FLIGHT = 1000;
// A burst may fill the queue. One that stays is of no use: it makes every caller wait, and the garbage collector move all
// that waits. So where it was never short for a while, no more than this is taken, until it is.
const MAX_STANDING = 256;
const SHORT = 128;
const BURST_MS = 100;
// What is held while the core is away: a connection has one request under way, and a gateway 10,000 connections.
const MAX_HELD = 10_000;
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const HOLD_MS = 10_000;
// A core that is back is given what was held this many a stream at a time, so that it is never more of a queue than it is
// otherwise, and for so long at most: then too much is refused as ever.
const CATCH_UP_CALLS = 32;
const CATCH_UP_MS = 5_000;
// A call that was lost with more streams than this may be what ends them.
const MAX_LOSSES = 2;
/** Ends of streams that the next stream would meet as well. */
const LASTING: ReadonlySet<status> = new Set([
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.UNIMPLEMENTED,
  status.RESOURCE_EXHAUSTED,
]);
// A message must stay below the 4 MiB a gRPC server accepts by default; one call alone takes little over 1 MiB.
const BATCH_BYTES = 1024 * 1024;
// More than this in one message keep the core waiting for the first: it works on a message while the next is filled. Where
// the queue is not short the core has enough to do, and what counts is how much each message costs: with 512 connections a
// tenth of the gateway's CPU.
const BATCH_CALLS = 8;
const QUEUED_BATCH_CALLS = 32;
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
 * one message, on the stream with the fewest calls in flight. A stream that dies is opened again, and what it carried is
 * sent again: asking twice changes nothing. While there is no stream, calls are held, within their deadlines.
 */
export class CoreLink {
  readonly #client: ServerServiceClient;
  readonly #secret: string;
  readonly #log: Logger;
  readonly #maxInFlight: number;
  readonly #now: () => number;
  /** When few calls were in flight, last. */
  #shortAt = Number.NEGATIVE_INFINITY;
  /** Calls in flight that wait for a probe. */
  #probeWaits = 0;
  readonly #maxHeld: number;
  #overloads = 0;
  readonly #open = new Set<CoreStream>();
  readonly #calls: CallTable;
  /** Calls that no stream has taken yet. */
  #waiting: PendingCall[] = [];
  /** Whether some of them wait for a stream to have room, or for a stream. */
  #stalled = false;
  /** From the loss of the last stream until all that was held has been sent, or for `CATCH_UP_MS` on a new one. */
  #holding = true;
  #heldBytes = 0;
  /** Since when there is a stream again. */
  #openSince = Number.POSITIVE_INFINITY;
  readonly #closing = new AbortController();
  readonly #slots: Promise<void>[];
  readonly #absence: CoreAbsence;
  /** The core has been away for so long that nothing waits for it. */
  #away = false;
  #holdsNoMore = false;
  /** Why streams end, as the log last told it; undefined once one has worked since. */
  #toldReason: string | undefined;
  #flushing = false;
  #idle: () => void = () => {};

  constructor(options: CoreLinkOptions) {
    this.#client = clients.server(options.address, options.security);
    this.#secret = options.secret;
    this.#log = options.log;
    this.#maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT;
    this.#maxHeld = options.maxHeld ?? MAX_HELD;
    this.#calls = new CallTable(this.#maxInFlight + this.#maxHeld);
    this.#now = options.now ?? (() => performance.now());
    this.#absence = new CoreAbsence(this.#client.getChannel(), options.holdMs ?? HOLD_MS, () =>
      this.#giveUp(),
    );
    this.#absence.begin();
    this.#slots = Array.from({ length: options.streams ?? STREAMS }, () => this.#keepOpen());
  }

  /** Whether a call would be sent at once. */
  get connected(): boolean {
    return this.#open.size > 0;
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  /** Calls refused so far because too many were in flight. */
  get overloads(): number {
    return this.#overloads;
  }

  /**
   * Sends one call, whose id and `held` this sets; `timeoutMs` counts from now. It fails with ServiceError: CORE_1 where the core is away for too long
   * or has too much to do, CORE_2 where it did not answer in time. `waits`: for a probe, if need be.
   */
  send(call: OutgoingFetchCall, timeoutMs: number, outcome: CallOutcome, waits = false): void {
    if (this.#closing.signal.aborted || this.#away) {
      outcome.fail(coreAway());
      return;
    }
    if (this.#isFull()) {
      this.#overloads++;
      outcome.fail(overloaded);
      return;
    }
    const id = this.#calls.newId();
    const holding = this.#holding;
    call.id = id;
    call.held = holding;
    const pending = new PendingCall(id, encodeFetchCall(call), timeoutMs, outcome, this, waits);
    if (holding) this.#heldBytes += pending.message.length;
    if (waits) this.#probeWaits++;
    this.#calls.add(pending);
    this.#waiting.push(pending);
    if (this.#stalled) return;
    if (this.#waiting.length >= this.#batchCalls()) this.#flush();
    else this.#flushSoon();
  }

  #isFull(): boolean {
    const now = this.#now();
    if (this.#holding) {
      if (now - this.#openSince < CATCH_UP_MS || this.#open.size === 0)
        return this.#waiting.length >= this.#maxHeld || this.#heldBytes >= MAX_HELD_BYTES;
      this.#hold(false);
    }
    const working = this.#working;
    if (working < SHORT) this.#shortAt = now;
    return (
      this.#calls.size >= this.#maxInFlight || (working >= MAX_STANDING && now - this.#shortAt > BURST_MS)
    );
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
    if (this.#stalled) this.#flushSoon();
    if (this.#calls.size === 0) this.#idle();
  }

  /** From now on nothing waits for a core that is away. */
  holdNoMore(): void {
    this.#holdsNoMore = true;
    this.#absence.end();
    if (this.#open.size === 0) this.#giveUp();
  }

  #hold(held: boolean): void {
    this.#holding = held;
    this.#heldBytes = 0;
    // What was sent last is a burst.
    this.#shortAt = this.#now();
  }

  #giveUp(): void {
    this.#away = true;
    for (const call of [...this.#waiting]) call.fail(coreAway());
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(this.#flushTurn);
  }

  readonly #flushTurn = (): void => {
    this.#flushing = false;
    this.#flush();
  };

  /** Takes no more calls, waits for those in flight, but not longer than `limitMs`, and ends the streams. */
  async close(limitMs = HOLD_MS): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.holdNoMore();
    if (this.#calls.size > 0) {
      const idle = new Promise<void>(resolve => {
        this.#idle = resolve;
      });
      const patience = setTimeout(() => {
        for (const call of this.#calls.filter(() => true)) call.fail(coreAway());
      }, limitMs);
      await idle;
      clearTimeout(patience);
    }
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
      const room = stream ? this.#roomOf(stream) : 0;
      if (!stream || room <= 0) {
        this.#stalled = true;
        return;
      }
      stream.send(this.#waiting.splice(0, this.#nextBatch(room)));
    }
    this.#stalled = false;
    if (this.#holding && this.#open.size > 0) this.#hold(false);
  }

  /** How many of the calls that wait a stream may take now. */
  #roomOf(stream: CoreStream): number {
    const inAll = this.#maxInFlight - (this.#calls.size - this.#waiting.length);
    const most = this.#batchCalls();
    return Math.min(inAll, most, this.#holding ? CATCH_UP_CALLS - stream.load : most);
  }

  /** How many calls a message holds at most. */
  #batchCalls(): number {
    return this.#working < SHORT ? BATCH_CALLS : QUEUED_BATCH_CALLS;
  }

  /** Calls in flight that wait for nothing but an answer of the core. */
  get #working(): number {
    return this.#calls.size - this.#probeWaits;
  }

  #freest(): CoreStream | undefined {
    let freest: CoreStream | undefined;
    for (const stream of this.#open) {
      if (stream.writable && (!freest || stream.load < freest.load)) freest = stream;
    }
    return freest;
  }

  /** How many of the calls that wait the next message holds: `most`, if they are small. */
  #nextBatch(most: number): number {
    const waiting = this.#waiting;
    const end = Math.min(most, waiting.length);
    let bytes = 0;
    for (let i = 0; i < end; i++) {
      bytes += waiting[i]?.message.length ?? 0;
      if (i > 0 && bytes > BATCH_BYTES) return i;
    }
    return end;
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
          const mends = !stream.nonsense && !LASTING.has(ended.code);
          // A stream that never answered may have been refused before the core saw any call.
          this.#takeBack(stream, mends, coreAway(answered ? WENT_AWAY : undefined));
          resolve(answered);
        },
      });
      if (this.#open.size === 0) this.#openSince = this.#now();
      this.#open.add(stream);
      this.#away = false;
      this.#absence.end();
      this.#flush();
    });
  }

  /** Makes the calls of a stream that ended wait for another, ahead of those that wait for their first. */
  #takeBack(stream: CoreStream, mends: boolean, error: ServiceError): void {
    const back: PendingCall[] = [];
    for (const call of this.#calls.filter(({ carrier }) => carrier === stream)) {
      if (!mends || call.losses === MAX_LOSSES) call.fail(error);
      else {
        call.losses++;
        call.carrier = undefined;
        back.push(call);
      }
    }
    // In the order they came in.
    this.#waiting = [...back, ...this.#waiting].sort((a, b) => (a.id - b.id) | 0);
    if (this.#open.size > 0) {
      this.#flushSoon();
      return;
    }
    this.#hold(true);
    this.#stalled = true;
    if (this.#holdsNoMore) this.#giveUp();
    else this.#absence.begin();
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
