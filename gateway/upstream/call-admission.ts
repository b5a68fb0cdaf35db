import type { CallQueue } from './call-queue.ts';
import type { CallTable } from './call-table.ts';

/** Limits for calls from the gateway to the core. An absent limit has a default. */
export interface AdmissionLimits {
  /**
   * Maximum number of calls to the core that have no result yet. Beyond this limit, a call fails immediately with
   * CORE_1 if its caller already has its fair share of the calls in progress.
   */
  maxInFlight?: number;
  /**
   * Maximum number of parked calls: calls that wait until a stream to the core is open. A call beyond this limit fails
   * immediately with CORE_1.
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
// Load shedding begins when SHORT_QUEUE or more calls have been in progress for longer than BURST_MS. While at least
// MAX_STANDING calls are in progress, load shedding refuses calls of callers that already have their fair share.
const MAX_STANDING = 256;
const SHORT_QUEUE = 128;
const BURST_MS = 100;
// After a reconnect, each stream carries at most CATCH_UP_CALLS calls at a time, so that the core gets no long queue.
// The limit ends when all waiting calls are sent, or after CATCH_UP_MS.
const CATCH_UP_CALLS = 32;
const CATCH_UP_MS = 5_000;
// Maximum number of calls in one message to the core if fewer than SHORT_QUEUE calls are in progress. Calls in a small
// message reach the core earlier than calls in a large one.
const BATCH_CALLS = 8;
// Maximum number of calls in one message to the core while SHORT_QUEUE or more calls are in progress. At 512
// connections, large messages save a tenth of the CPU time of the gateway.
const QUEUED_BATCH_CALLS = 32;

/**
 * Accepts or refuses new calls to the core (load shedding), and limits how many queued calls are sent. While the core
 * is absent, accepted calls wait (parking).
 */
export class CallAdmission {
  readonly #calls: CallTable;
  readonly #queue: CallQueue;
  readonly #maxInFlight: number;
  readonly #maxParked: number;
  readonly #now: () => number;
  /**
   * Last time at which fewer than SHORT_QUEUE calls were in progress. If this time is more than BURST_MS ago, load
   * shedding can begin.
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
   * True while calls wait for an absent core. Parking starts when the core becomes absent. It ends when all waiting
   * calls are sent, or CATCH_UP_MS after a reconnect.
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
   * Call this method after a reconnect, before the waiting calls are sent. Until all waiting calls are sent, each
   * stream then carries at most CATCH_UP_CALLS calls at a time.
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
    // Load shedding is off while calls wait for an absent core (parking). Parking ends at the latest CATCH_UP_MS after
    // the reconnect to the core.
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
    // Load shedding: refuses the call if its caller already has its fair share of the calls in progress. If
    // `maxInFlight` plus `maxParked` calls have no result yet, refuses the calls of all callers.
    const limit = Math.min(this.#maxInFlight, MAX_STANDING);
    const callers = this.#calls.countCallers();
    return size >= this.#maxInFlight + this.#maxParked || callers.hasFairShare(caller, limit);
  }

  #setParking(parking: boolean): void {
    this.#parking = parking;
    // Restarts the measurement of the time in which SHORT_QUEUE or more calls are in progress. If the time in which
    // calls wait for an absent core counted too, load shedding would begin too early.
    this.#shortAt = this.#now();
  }
}
