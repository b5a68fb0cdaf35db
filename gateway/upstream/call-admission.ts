import type { CallQueue } from './call-queue.ts';
import type { CallTable } from './call-table.ts';

/** The caps of the link to the core; absent ones have defaults. */
export interface AdmissionLimits {
  /** Most unsettled calls; one more fails at once with CORE_1. */
  maxInFlight?: number;
  /** Most calls parked while no stream is open; one more fails at once with CORE_1. */
  maxParked?: number;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

const MAX_IN_FLIGHT = 1000;
// A connection has one request at a time, and a gateway 10,000 connections.
const MAX_PARKED = 10_000;
const MAX_PARKED_BYTES = 64 * 1024 * 1024;
// Load shedding lets a burst fill the queue, but not for long: a standing queue delays every caller, and the garbage
// collector moves all that is queued. If fewer than SHORT_QUEUE calls were last in flight over BURST_MS ago, calls
// past MAX_STANDING are refused.
const MAX_STANDING = 256;
const SHORT_QUEUE = 128;
const BURST_MS = 100;
// After a reconnect the parked calls are sent at most this many a stream at a time, so that the core never has more of a
// queue than usual. Load shedding starts after CATCH_UP_MS at the latest.
const CATCH_UP_CALLS = 32;
const CATCH_UP_MS = 5_000;
// The core works on a message while the next one is filled, so a larger message would delay its first call. With a long
// queue the core has enough to do, and fewer messages cost less: with 512 connections a tenth of the gateway's CPU.
const BATCH_CALLS = 8;
const QUEUED_BATCH_CALLS = 32;

/** Decides whether one more call is accepted, and how many queued calls may be sent: caps, load shedding and parking. */
export class CallAdmission {
  readonly #calls: CallTable;
  readonly #queue: CallQueue;
  readonly #maxInFlight: number;
  readonly #maxParked: number;
  readonly #now: () => number;
  /** When the queue was last short. */
  #shortAt = Number.NEGATIVE_INFINITY;
  #parking = true;
  #parkedBytes = 0;
  /** When the first stream opened after there was none. */
  #connectedAt = Number.POSITIVE_INFINITY;
  #refusals = 0;

  constructor(calls: CallTable, queue: CallQueue, limits: AdmissionLimits) {
    this.#calls = calls;
    this.#queue = queue;
    this.#maxInFlight = limits.maxInFlight ?? MAX_IN_FLIGHT;
    this.#maxParked = limits.maxParked ?? MAX_PARKED;
    this.#now = limits.now ?? (() => performance.now());
  }

  /** Most calls a link with these limits has at a time. */
  static capacity({ maxInFlight = MAX_IN_FLIGHT, maxParked = MAX_PARKED }: AdmissionLimits): number {
    return maxInFlight + maxParked;
  }

  /** Calls refused so far. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Whether new calls are parked: from the loss of the last stream until every parked call was sent, or until `CATCH_UP_MS` after a reconnect. */
  get parking(): boolean {
    return this.#parking;
  }

  /** Whether one more call is accepted; counts it as a refusal if not. */
  admitCall(): boolean {
    if (!this.#isFull()) return true;
    this.#refusals++;
    return false;
  }

  /** Adds the bytes of a parked call. */
  countParked(bytes: number): void {
    this.#parkedBytes += bytes;
  }

  startParking(): void {
    this.#setParking(true);
    this.#connectedAt = Number.POSITIVE_INFINITY;
  }

  /** Starts the time within which the parked calls are sent. */
  startCatchUp(): void {
    this.#connectedAt = this.#now();
  }

  endParking(): void {
    if (this.#parking) this.#setParking(false);
  }

  /** How many queued calls a stream with `load` unsettled calls may be sent at once; 0 or less if none. */
  roomFor(load: number): number {
    const inFlight = this.#calls.size - this.#queue.length;
    const most = this.batchCalls();
    return Math.min(this.#maxInFlight - inFlight, most, this.#parking ? CATCH_UP_CALLS - load : most);
  }

  /** Most calls of one message. */
  batchCalls(): number {
    return this.#calls.working < SHORT_QUEUE ? BATCH_CALLS : QUEUED_BATCH_CALLS;
  }

  #isFull(): boolean {
    const now = this.#now();
    if (this.#parking) {
      if (now - this.#connectedAt < CATCH_UP_MS) {
        return this.#queue.length >= this.#maxParked || this.#parkedBytes >= MAX_PARKED_BYTES;
      }
      this.#setParking(false);
    }
    const { working } = this.#calls;
    if (working < SHORT_QUEUE) this.#shortAt = now;
    return (
      this.#calls.size >= this.#maxInFlight || (working >= MAX_STANDING && now - this.#shortAt > BURST_MS)
    );
  }

  #setParking(parking: boolean): void {
    this.#parking = parking;
    this.#parkedBytes = 0;
    // The parked calls are a burst.
    this.#shortAt = this.#now();
  }
}
