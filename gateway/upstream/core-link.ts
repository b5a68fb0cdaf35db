import { clients } from '../../proto/clients.ts';
import type { OutgoingFetchCall } from '../../proto/generated/codec/fetch.ts';
import type { ServerServiceClient } from '../../proto/generated/gsq/v1/ServerService.ts';
import type { ServiceError } from '../../proto/service-error.ts';
import { encodeFetchCall } from '../../proto/streams/fetch-service.ts';
import { CallAdmission } from './call-admission.ts';
import { CallQueue } from './call-queue.ts';
import { CallTable } from './call-table.ts';
import { CoreAbsence } from './core-absence.ts';
import { coreAway, coreSlow, overloaded } from './core-errors.ts';
import type { CallHolder, CoreLinkOptions, LinkSiblings } from './core-link-options.ts';
import { CorePulse } from './core-pulse.ts';
import type { CoreStream } from './core-stream.ts';
import { type CallOutcome, PendingCall } from './pending-call.ts';
import { StreamPool } from './stream-pool.ts';

// Number of streams from the gateway to the core. Four streams have a higher throughput than one. More than four
// streams bring no further gain.
const STREAMS = 4;
const PARK_MS = 10_000;
// Maximum number of times that a call is sent again because its stream ended. After that, the call fails, because
// perhaps the call itself makes the streams end.
const MAX_LOSSES = 2;
/**
 * If a core does not respond for this time (ms), the gateway moves the calls of this core to other cores. Moved calls
 * are counted against the quota a second time. Therefore no calls should move during a short pause of a core.
 */
const LOST_MS = 1_000;

/**
 * The connection from the gateway to one core for fetches: a pool of long-lived FetchStreams. If a stream ends, its
 * unanswered calls are sent again on another stream. While the core is absent, calls wait (parking).
 */
export class CoreLink implements CallHolder {
  readonly #client: ServerServiceClient;
  readonly #siblings: LinkSiblings | undefined;
  readonly #maxCalls: number;
  readonly #calls: CallTable;
  readonly #queue = new CallQueue();
  readonly #admission: CallAdmission;
  readonly #streams: StreamPool;
  readonly #absence: CoreAbsence;
  readonly #pulse: CorePulse;
  /**
   * False if the core was overloaded when it last responded. If such a core stops responding, it does not count as
   * absent, because the absence of a core turns load shedding off.
   */
  #keptUp = true;
  /** True while queued calls cannot be sent: the core is absent, or no stream can accept more calls. */
  #stalled = false;
  #flushScheduled = false;
  #closing = false;
  #wasLost = true;
  #onIdle: () => void = () => {};

  constructor(options: CoreLinkOptions) {
    this.#client = clients.server(options.address, options.security);
    this.#siblings = options.siblings;
    this.#maxCalls = CallAdmission.capacity(options);
    this.#calls = new CallTable(this.#maxCalls);
    this.#admission = new CallAdmission(this.#calls, this.#queue, options);
    this.#absence = new CoreAbsence(options.parkMs ?? PARK_MS);
    this.#absence.start();
    this.#pulse = new CorePulse(this.#client, {
      needsPulse: () => this.#streams.size > 0 && (this.#calls.size > 0 || this.#absence.isAbsent),
      onSilent: () => {
        if (this.#keptUp && !this.#absence.parksNothing) this.#startAbsence();
      },
      onAlive: () => {
        this.#keptUp = this.#admission.isQueueShort;
        if (this.#absence.isAbsent && this.#streams.size > 0) this.#endAbsence();
      },
    });
    const { secret, streams = STREAMS, log } = options;
    this.#streams = new StreamPool(this.#client, secret, streams, this.#calls, log, {
      onOpen: () => this.#endAbsence(),
      onReply: () => this.#pulse.noteReply(),
      onDrain: () => this.#flushQueue(),
      onEnd: (stream, retryable, error) => this.#requeueCalls(stream, retryable, error),
    });
  }

  /** True if a stream to the core is open and the core responds, so that calls can be sent immediately. */
  get connected(): boolean {
    return this.#streams.size > 0 && !this.#absence.isAbsent;
  }

  /**
   * True if no stream to the core is open, or if the core has not responded for a second. The gateway then sends the
   * calls of this core to other cores.
   */
  get isLost(): boolean {
    return this.#streams.size === 0 || this.#absence.lasts(LOST_MS);
  }

  /** True if a new call can wait for an absent core. False if it would fail at once. */
  get parks(): boolean {
    return !this.#closing && !this.#absence.isTooLong;
  }

  /**
   * Number of calls to the core that have no result yet. Contains the calls in the queue and the calls that were sent.
   */
  get inFlight(): number {
    return this.#calls.size;
  }

  /** Number of calls to the core that the gateway refused so far, because too many calls had no result yet. */
  get refusals(): number {
    return this.#admission.refusals;
  }

  /**
   * Sets the fields `id` and `held` of a call (see server.proto), and sends the call to the core. The call fails with
   * CORE_1 if the core is unreachable or overloaded, and with CORE_2 if the reply takes longer than `timeoutMs`.
   * `waitsForProbe`: true if the reply may wait for a probe.
   */
  sendCall(call: OutgoingFetchCall, timeoutMs: number, outcome: CallOutcome, waitsForProbe = false): void {
    if (this.#closing || this.#absence.isTooLong) {
      outcome.fail(coreAway());
      return;
    }
    const admission = this.#admission;
    const caller = call.caller?.address ?? '';
    if (!admission.admitCall(caller)) {
      outcome.fail(overloaded);
      return;
    }
    const id = this.#calls.newId();
    const { parking } = admission;
    call.id = id;
    call.held = parking;
    const message = encodeFetchCall(call);
    const pending = new PendingCall(id, message, timeoutMs, outcome, this, waitsForProbe, caller);
    this.#calls.addCall(pending);
    this.#queue.addCall(pending);
    this.#pulse.start();
    if (this.#stalled) return;
    if (this.#queue.length >= admission.batchCalls()) this.#flushQueue();
    else this.#scheduleFlush();
  }

  /** Checks soon whether the core still responds, even if no call waits for its reply. */
  readonly checkCore = (): void => this.#pulse.requestCheck();

  /**
   * Moves the calls of this connection to the connections to other cores, if these connections accept them. A call
   * stays if its stream has already ended several times, because perhaps the call itself makes the streams end.
   */
  moveCalls(): void {
    if (!this.#siblings || this.#calls.size === 0) return;
    const calls = this.#calls.filterCalls(({ losses }) => losses < MAX_LOSSES);
    calls.sort((a, b) => (a.id - b.id) | 0);
    for (const call of calls) this.#siblings.heirOf(call, this)?.adoptCall(call, this);
  }

  /**
   * Takes over a call from `from`, the connection to another core. Does nothing if this `CoreLink`, the new connection
   * of the call, is closing or has too many calls.
   */
  adoptCall(call: PendingCall, from: CallHolder): void {
    if (this.#closing || this.#calls.size >= this.#maxCalls) return;
    from.forgetCall(call);
    call.moveTo(this, this.#calls.newId());
    this.#calls.addCall(call);
    this.#queue.addCall(call);
    this.#pulse.start();
    if (!this.connected) return;
    // Turns load shedding off until the waiting calls are sent. Calls that come from another core make the queue long
    // for a short time, which could otherwise start load shedding.
    if (!this.#admission.parking) {
      this.#admission.startParking();
      this.#admission.startCatchUp();
    }
    this.#scheduleFlush();
  }

  /**
   * Returns the timeout error of a call: CORE_2 (core too slow) if a stream to the core is open, CORE_1 (core
   * unreachable) if not.
   */
  timeoutError(): ServiceError {
    return this.#streams.size > 0 ? coreSlow() : coreAway();
  }

  /** Removes a call from `#calls` and from the queue. Each `PendingCall` runs this method when it gets its result. */
  forgetCall(call: PendingCall): void {
    this.#calls.removeCall(call);
    if (!call.carrier) this.#queue.removeCall(call);
    if (this.#stalled) this.#scheduleFlush();
    if (this.#calls.size === 0) this.#onIdle();
  }

  /** Ends the parking of calls permanently: from now on, calls do not wait for an absent core, but fail immediately. */
  stopParking(): void {
    this.#absence.stopParking();
    if (this.#absence.refusesCalls) this.#queue.failCalls(coreAway);
  }

  /** Refuses new calls, waits at most `limitMs` for the calls in progress, and ends the streams. */
  async close(limitMs = PARK_MS): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#streams.stopReconnecting();
    if (this.#absence.isAbsent) this.moveCalls();
    this.stopParking();
    if (this.#calls.size > 0) await this.#settleCalls(limitMs);
    await this.#streams.closeStreams();
    this.#client.close();
  }

  /** Waits until no call to the core is in progress. Calls that have no result after `limitMs` milliseconds fail. */
  async #settleCalls(limitMs: number): Promise<void> {
    const idle = new Promise<void>(resolve => {
      this.#onIdle = resolve;
    });
    const limit = setTimeout(() => {
      for (const call of this.#calls.filterCalls(() => true)) call.fail(coreAway());
    }, limitMs);
    await idle;
    clearTimeout(limit);
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    setImmediate(this.#runScheduledFlush);
  }

  readonly #runScheduledFlush = (): void => {
    this.#flushScheduled = false;
    this.#flushQueue();
  };

  /** Sends queued calls. Stops when the queue is empty or no stream can accept more calls. */
  #flushQueue(): void {
    const queue = this.#queue;
    while (queue.length > 0) {
      const stream = this.connected ? this.#streams.leastLoaded() : undefined;
      const room = stream ? this.#admission.roomFor(stream.load) : 0;
      if (!stream || room <= 0) {
        this.#stalled = true;
        return;
      }
      stream.sendCalls(queue.takeBatch(room));
    }
    this.#stalled = false;
    if (this.connected) this.#admission.endParking();
  }

  /**
   * Handles the unanswered calls of a closed stream. Puts them back into the queue, to be sent on another stream. Calls
   * that cannot be sent again fail.
   */
  #requeueCalls(stream: CoreStream, retryable: boolean, error: ServiceError): void {
    const requeued: PendingCall[] = [];
    for (const call of this.#calls.filterCalls(({ carrier }) => carrier === stream)) {
      if (!retryable || call.losses === MAX_LOSSES) {
        call.fail(error);
      } else {
        call.prepareRepeat();
        requeued.push(call);
      }
    }
    this.#queue.requeueCalls(requeued);
    if (this.connected) this.#scheduleFlush();
    else this.#startAbsence();
  }

  #startAbsence(): void {
    this.#stalled = true;
    if (!this.#absence.isAbsent) {
      this.#absence.start();
      this.#admission.startParking();
    }
    // Moves the calls without a result to other cores if the core is lost. A core that does not respond counts as lost
    // only after a second. Until it responds, `CorePulse` (the health checks) calls this method again and again.
    if (this.isLost) {
      this.#noteLoss(true);
      this.moveCalls();
    }
    if (this.#absence.refusesCalls) this.#queue.failCalls(coreAway);
  }

  #endAbsence(): void {
    if (this.#absence.isAbsent) {
      this.#absence.end();
      this.#admission.startCatchUp();
    }
    this.#noteLoss(false);
    this.#flushQueue();
  }

  #noteLoss(isLost: boolean): void {
    if (isLost === this.#wasLost) return;
    this.#wasLost = isLost;
    this.#siblings?.onChange();
  }
}
