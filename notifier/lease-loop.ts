import type { Metadata } from '@grpc/grpc-js';
import { interfaceAddresses } from '../net/interface-addresses.ts';
import { TargetPolicy } from '../net/targets.ts';
import type { Delivery__Output } from '../proto/generated/gsq/v1/Delivery.ts';
import type { LeaseDeliveriesResponse__Output } from '../proto/generated/gsq/v1/LeaseDeliveriesResponse.ts';
import type { NotifyServiceClient } from '../proto/generated/gsq/v1/NotifyService.ts';
import { reasonOf } from '../runtime/error-words.ts';
import type { Logger } from '../runtime/log.ts';
import type { SentDelivery } from './delivery-sender.ts';

/** Maximum number of webhook deliveries that a notifier sends at the same time. */
const MAX_IN_FLIGHT = 200;
/** Maximum number of webhook deliveries that a notifier leases from the core in one call. */
const MAX_LEASED = 100;
/**
 * Longest time that the core waits before it answers a call for webhook deliveries, ms. The core waits only while no
 * delivery is due (long polling).
 */
const WAIT_MS = 20_000;
/**
 * Time limit of a call that reports the result of a delivery, ms. A call that requests deliveries has this time in
 * addition to the waiting time of the core.
 */
const CALL_MARGIN_MS = 10_000;
const BACKOFF_MS = { first: 100, last: 2_000 };
/** Number of attempts to report the result of a delivery. If all attempts fail, the core leases the delivery again. */
const REPORT_ATTEMPTS = 5;

/**
 * The cores that the notifier calls to get webhook deliveries. Each core forwards such a call to the one core that
 * stores the webhooks (the lead of the cluster).
 */
export interface NotifyCores {
  /** gRPC client of the core that the notifier currently calls. */
  readonly client: NotifyServiceClient;
  /**
   * Makes the notifier call the next core from now on, because a call to the current core has failed. `failed`: client
   * with which this call was made. Does nothing if the notifier already calls another core.
   */
  leaveCore(failed: NotifyServiceClient): void;
  close(): void;
}

export interface LeaseLoopOptions {
  cores: NotifyCores;
  metadata: Metadata;
  send: (delivery: Delivery__Output, policy: TargetPolicy) => Promise<SentDelivery>;
  /** Called with the result of each delivery that was sent. */
  onSent: (result: SentDelivery) => void;
  log: Logger;
}

/** Leases webhook deliveries from the core, sends them, and reports the results, until `close` is called. */
export class LeaseLoop {
  readonly #options: LeaseLoopOptions;
  readonly #closing = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  readonly #over: Promise<void>;
  #connected = false;
  #wake: (() => void) | undefined;

  constructor(options: LeaseLoopOptions) {
    this.#options = options;
    this.#over = this.#run();
  }

  /** True if the last call of the notifier to the core succeeded. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Number of deliveries that are being sent at this moment. */
  get inFlight(): number {
    return this.#sending.size;
  }

  /**
   * Requests no more deliveries, and waits until all leased deliveries are sent, but at most `limitMs` milliseconds.
   * The core leases the unsent deliveries again later.
   */
  async close(limitMs: number): Promise<void> {
    this.#closing.abort();
    this.#wake?.();
    const limit = new Promise<void>(resolve => setTimeout(resolve, limitMs).unref());
    await Promise.race([Promise.all([this.#over, ...this.#sending]), limit]);
    this.#options.cores.close();
  }

  async #run(): Promise<void> {
    let backoffMs = BACKOFF_MS.first;
    while (!this.#closing.signal.aborted) {
      const free = MAX_IN_FLIGHT - this.#sending.size;
      if (free === 0) {
        await this.#pause();
        continue;
      }
      try {
        const leased = await this.#lease(Math.min(free, MAX_LEASED));
        if (!this.#connected) this.#options.log.info('connected to the core');
        this.#connected = true;
        backoffMs = BACKOFF_MS.first;
        this.#start(leased);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        if (this.#connected) this.#options.log.warn({ why: reasonOf(error) }, 'the core cannot be reached');
        this.#connected = false;
        await this.#pause(backoffMs * (0.5 + Math.random() / 2));
        backoffMs = Math.min(backoffMs * 2, BACKOFF_MS.last);
      }
    }
  }

  /**
   * Waits until the sending of a delivery ends, `close` is called, or `ms` milliseconds have passed. Without `ms`, the
   * wait has no time limit.
   */
  async #pause(ms?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>(resolve => {
      this.#wake = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }

  #lease(maxDeliveries: number): Promise<LeaseDeliveriesResponse__Output> {
    const { cores, metadata } = this.#options;
    const { client } = cores;
    // By default, a core without due deliveries waits before it answers. After a failed call, the notifier asks for an
    // immediate answer, to learn soon whether it can reach the core again.
    const waitMs = this.#connected ? WAIT_MS : 0;
    return new Promise((resolve, reject) => {
      const call = client.leaseDeliveries(
        { maxDeliveries, waitMs },
        metadata,
        { deadline: Date.now() + waitMs + CALL_MARGIN_MS },
        (error, leased) => {
          this.#closing.signal.removeEventListener('abort', cancel);
          if (error && !this.#closing.signal.aborted) cores.leaveCore(client);
          if (error || !leased) reject(error ?? new Error('the core sent no answer'));
          else resolve(leased);
        },
      );
      const cancel = (): void => call.cancel();
      this.#closing.signal.addEventListener('abort', cancel, { once: true });
      if (this.#closing.signal.aborted) cancel();
    });
  }

  #start({ deliveries, allowTargets, denyTargets }: LeaseDeliveriesResponse__Output): void {
    if (deliveries.length === 0) return;
    const policy = new TargetPolicy(allowTargets, {
      denied: denyTargets,
      interfaces: interfaceAddresses(),
    });
    for (const delivery of deliveries) {
      const sending = this.#deliver(delivery, policy).finally(() => {
        this.#sending.delete(sending);
        this.#wake?.();
      });
      this.#sending.add(sending);
    }
  }

  async #deliver(delivery: Delivery__Output, policy: TargetPolicy): Promise<void> {
    const sent = await this.#options.send(delivery, policy);
    this.#options.onSent(sent);
    for (let attempt = 1; attempt <= REPORT_ATTEMPTS; attempt++) {
      try {
        return await this.#report({ leaseId: delivery.leaseId, ...sent });
      } catch (error) {
        const why = reasonOf(error);
        this.#options.log.warn({ why, attempt }, 'a result could not be reported to the core');
        if (attempt < REPORT_ATTEMPTS) await delay(BACKOFF_MS.last * (0.5 + Math.random() / 2));
      }
    }
  }

  #report(result: SentDelivery & { leaseId: number }): Promise<void> {
    const { cores, metadata } = this.#options;
    const { client } = cores;
    return new Promise((resolve, reject) => {
      const deadline = { deadline: Date.now() + CALL_MARGIN_MS };
      client.reportDeliveries({ results: [result] }, metadata, deadline, error => {
        if (error) cores.leaveCore(client);
        if (error) reject(error);
        else resolve();
      });
    });
  }
}

function delay(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
