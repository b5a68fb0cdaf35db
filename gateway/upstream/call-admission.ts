import type { CallQueue } from './call-queue.ts';
import type { CallTable } from './call-table.ts';

/** Limits for calls from the gateway to the core. An absent limit has a default. */
export interface AdmissionLimits {
  /**
   * Maximum number of calls without a result. Beyond this limit, a call fails immediately with CORE_1 if its caller
   * already has its fair share of the calls in progress.
   */
  maxInFlight?: number;
  /**
   * Maximum number of calls that wait while no stream to the core is open (parked calls). A call beyond this limit
   * fails immediately with CORE_1.
   */
  maxParked?: number;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

const MAX_IN_FLIGHT = 1000;
// Maximum number of parked calls (calls that wait while no stream to the core is open). It is one call for each of the
// 10,000 connections of a gateway, because a connection has one request at a time.
const MAX_PARKED = 10_000;
// Maximum total size of all encoded calls in the queue, in bytes.
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
// Load shedding: maximum number of calls in progress while the queue is long. The queue is long if at least SHORT_QUEUE
// calls were in progress during the whole last BURST_MS. A long queue would delay every caller.
const MAX_STANDING = 256;
const SHORT_QUEUE = 128;
const BURST_MS = 100;
// After a reconnect, each stream carries at most CATCH_UP_CALLS calls at a time. Without this limit, the parked calls
// (calls that waited for a stream) would make a long queue in the core. The limit ends when all parked calls are sent,
// or after CATCH_UP_MS.
const CATCH_UP_CALLS = 32;
const CATCH_UP_MS = 5_000;
// Maximum number of calls in one message to the core if fewer than SHORT_QUEUE calls are in progress. Calls in a small
// message reach the core earlier than calls in a large one.
const BATCH_CALLS = 8;
// Maximum number of calls in one message to the core while SHORT_QUEUE or more calls are in progress. At 512
// connections, large messages save a tenth of the CPU time of the gateway.
const QUEUED_BATCH_CALLS = 32;

/**
 * Decides whether the gateway accepts a new call to the core, and how many queued calls it sends. Refuses calls above
 * the limits, and calls while a queue stays long (load shedding). While no stream to the core is open, accepted calls
 * wait (parking).
 */
export class CallAdmission {
  readonly #calls: CallTable;
  readonly #queue: CallQueue;
  readonly #maxInFlight: number;
  readonly #maxParked: number;
  readonly #now: () => number;
  /**
   * Last time at which fewer than SHORT_QUEUE calls were in progress. Load shedding uses it to detect a queue that
   * stays long.
   */
  #shortAt = Number.NEGATIVE_INFINITY;
  #parking = true;
  /** Time at which the core last became reachable. Infinity while the core cannot be reached. */
  #connectedAt = Number.POSITIVE_INFINITY;
  #refusals = 0;

  constructor(calls: CallTable, queue: CallQueue, limits: AdmissionLimits) {
    this.#calls = calls;
    this.#queue = queue;
    this.#maxInFlight = limits.maxInFlight ?? MAX_IN_FLIGHT;
    this.#maxParked = limits.maxParked ?? MAX_PARKED;
    this.#now = limits.now ?? (() => performance.now());
  }

  /**
   * Returns the maximum number of unfinished calls to the core: sent calls plus parked calls. A parked call waits for a
   * stream.
   */
  static capacity({ maxInFlight = MAX_IN_FLIGHT, maxParked = MAX_PARKED }: AdmissionLimits): number {
    return maxInFlight + maxParked;
  }

  /** Number of calls to the core that were refused so far. */
  get refusals(): number {
    return this.#refusals;
  }

  /**
   * True during parking, while calls wait in the queue for a stream to the core. Parking starts when the last stream
   * closes. It ends when every waiting call is sent, at the latest CATCH_UP_MS after a reconnect.
   */
  get parking(): boolean {
    return this.#parking;
  }

  /** True if fewer than SHORT_QUEUE calls are in progress, which means that the core keeps up with the load. */
  get isQueueShort(): boolean {
    return this.#calls.working < SHORT_QUEUE;
  }

  /** Returns true if a new call to the core for `caller` is accepted. If not, counts the call as refused. */
  admitCall(caller: string): boolean {
    if (!this.#isFull(caller)) return true;
    this.#refusals++;
    return false;
  }

  startParking(): void {
    this.#setParking(true);
    this.#connectedAt = Number.POSITIVE_INFINITY;
  }

  /**
   * Must be called after a reconnect, before the parked calls (calls that waited for a stream to the core) are sent.
   * Until they are sent, each stream carries at most CATCH_UP_CALLS calls at a time.
   */
  startCatchUp(): void {
    this.#connectedAt = this.#now();
  }

  endParking(): void {
    if (this.#parking) this.#setParking(false);
  }

  /**
   * Returns how many queued calls can be sent immediately on a stream. Zero or a negative number means none. `load`:
   * number of calls on this stream that the core is working on.
   */
  roomFor(load: number): number {
    const inFlight = this.#calls.size - this.#queue.length;
    const most = this.batchCalls();
    return Math.min(this.#maxInFlight - inFlight, most, this.#parking ? CATCH_UP_CALLS - load : most);
  }

  /** Returns the maximum number of calls in one message to the core. */
  batchCalls(): number {
    return this.isQueueShort ? BATCH_CALLS : QUEUED_BATCH_CALLS;
  }

  #isFull(caller: string): boolean {
    if (this.#queue.bytes >= MAX_QUEUED_BYTES) return true;
    const now = this.#now();
    // Load shedding is off during parking, while calls wait for the core. Parking ends at the latest CATCH_UP_MS after
    // a reconnect.
    if (this.#parking) {
      if (now - this.#connectedAt < CATCH_UP_MS) {
        return this.#queue.length >= this.#maxParked;
      }
      this.#setParking(false);
    }
    const { working, size } = this.#calls;
    // Refuses the call if `maxInFlight` calls already wait for a probe.
    if (size - working >= this.#maxInFlight) return true;
    if (this.isQueueShort) {
      this.#shortAt = now;
      if (size < this.#maxInFlight) this.#calls.stopCounting();
    }
    if (size < this.#maxInFlight && (working < MAX_STANDING || now - this.#shortAt <= BURST_MS)) return false;
    // The limits for calls in progress (`maxInFlight`, MAX_STANDING) affect only callers that already have their fair
    // share of these calls. A caller with one request at a time is never refused because of other callers.
    const limit = Math.min(this.#maxInFlight, MAX_STANDING);
    const callers = this.#calls.countCallers();
    return size >= this.#maxInFlight + this.#maxParked || callers.hasFairShare(caller, limit);
  }

  #setParking(parking: boolean): void {
    this.#parking = parking;
    // Starts to measure the length of the queue anew. After a reconnect, calls that waited for the core make the queue
    // long for a short time. Load shedding must not begin because of these calls.
    this.#shortAt = this.#now();
  }
}
