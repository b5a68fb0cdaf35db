import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../runtime/log.ts';
import { type BucketCall, BucketCalls, isTemporary, NotConfirmed } from './bucket-calls.ts';
import { connectionOptions } from './connection-options.ts';
import type { Reply } from './engine-connection.ts';
import { EngineNodes } from './engine-nodes.ts';
import { parseEngineUrl } from './engine-url.ts';
import { ACQUIRE_LEASE_SCRIPT, RELEASE_LEASE_SCRIPT, RENEW_LEASE_SCRIPT, type Script } from './scripts.ts';

/**
 * Length of the owner lease in milliseconds. It must be longer than a failover of the engine, which takes about 5 s
 * with `cluster-node-timeout` 3 s, because the owner cannot renew its lease during a failover.
 */
const LEASE_MS = 8_000;
/** Time between two renewals of the owner lease, in milliseconds. */
const RENEW_MS = 1_000;
/**
 * The core stops this long before the end of its owner lease, in milliseconds. In this time its last answers are sent
 * before another core can become the owner.
 */
const MARGIN_MS = 1_000;
/**
 * If no replica has confirmed a renewal of the owner lease, the core relies on the renewal only for this time, in
 * milliseconds. A master that is cut off from the cluster still accepts renewals for `cluster-node-timeout`, 3 s, but
 * its promoted replica never gets them. The sum of both times must be shorter than LEASE_MS, after which another core
 * can acquire the lease from the promoted replica.
 */
const UNCONFIRMED_MS = LEASE_MS - MARGIN_MS - 3_500;
/** Time between two attempts of a waiting core to get the owner lease, in milliseconds. */
const ATTEMPT_MS = 500;
/** The owner lease is stored in the hash slot of this bucket of the store. */
export const LEASE_BUCKET = 0;
export const LEASE_KEY = `gsq-owner:{${LEASE_BUCKET}}`;

/** Error if the core has lost the owner lease, or could not renew it in time. The process must end. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Error if a different core has the owner lease of the store, and the caller does not want to wait longer for it. */
export class OwnedElsewhere extends Error {
  override name = 'OwnedElsewhere';

  /** `store`: URL of the storage engine without secrets. `owner`: id of the other core. */
  constructor(store: string, owner: string) {
    super(`the store at ${store} is in use by ${owner}`);
  }
}

/** Options of `OwnerLease.acquire`. */
export interface OwnerLeaseOptions {
  /** URL of the storage engine: see `parseEngineUrl`. */
  url: string;
  /** Id of this core process. Different processes must have different ids. */
  owner: string;
  log: Logger;
  /** Called once with the id of the owner if a different core has the lease, so that this core waits as a standby. */
  onStandby(owner: string): void;
  /**
   * Returns the longest time for which `acquire` waits for the owner lease, in milliseconds. `owner`: id of the core
   * that has the lease; undefined if the engine cannot be reached. If the function is absent, `acquire` waits without a
   * limit.
   */
  patience?: ((owner: string | undefined) => number) | undefined;
  /** Called once if this core has acquired the owner lease and then lost it. */
  onLost(error: LeaseLost): void;
}

/**
 * The lease of the core that owns the whole store. It is kept in the storage engine and measured with the clock of the
 * engine. At most one core has the lease. The other cores wait for it (standby).
 *
 * The lease keeps two cores from serving at the same time. It does not protect the data: a core that has lost the lease
 * without noticing it is refused by the fences of the buckets.
 */
export class OwnerLease {
  readonly #nodes: EngineNodes;
  readonly #calls: BucketCalls;
  readonly #owner: string;
  /** URL of the storage engine without user, password and query. */
  readonly #shown: string;
  readonly #onLost: (error: LeaseLost) => void;
  #epoch = 0;
  /** Time until which this core can rely on its owner lease (performance.now()). */
  #validUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> | undefined;

  private constructor({ url, owner, log, onLost }: OwnerLeaseOptions) {
    const parsed = parseEngineUrl(url);
    this.#owner = owner;
    this.#shown = parsed.shown;
    this.#onLost = onLost;
    // The owner lease has connections of its own, because a WAIT command of the store can block a connection for a
    // second.
    this.#nodes = new EngineNodes({ seeds: parsed.seeds, options: connectionOptions(parsed), log });
    this.#calls = new BucketCalls(this.#nodes, () => ({
      replicas: parsed.replicas ?? (this.#nodes.isCluster ? 1 : 0),
      aof: parsed.aof,
    }));
  }

  /**
   * Acquires the owner lease. Waits until no other core has the lease and the storage engine can be reached. Rejects
   * with EngineUrlError if the URL is not valid, and with an Error that names the storage engine if it refuses this
   * core, for example because of a wrong password. When the time of `patience` is over, also rejects with
   * OwnedElsewhere, or with an Error if the storage engine cannot be reached.
   */
  static async acquire(options: OwnerLeaseOptions): Promise<OwnerLease> {
    const lease = new OwnerLease(options);
    const { log, onStandby, patience = () => Number.POSITIVE_INFINITY } = options;
    const began = performance.now();
    let isWaiting = false;
    let isAway = false;
    for (;;) {
      const holder = await lease.#attempt(0).catch((error: Error) => error);
      if (holder === undefined) break;
      if (holder instanceof Error) {
        const isOver = performance.now() - began >= patience(undefined);
        if (isOver || !isTemporary(holder)) throw lease.#close(holder);
        if (!isAway) log.warn({ err: holder }, 'store: the storage engine cannot be reached; trying again');
        isAway = true;
      } else {
        isAway = false;
        if (performance.now() - began >= patience(holder)) {
          lease.#nodes.close();
          throw new OwnedElsewhere(lease.#shown, holder);
        }
        if (!isWaiting) onStandby(holder);
        isWaiting = true;
      }
      await delay(ATTEMPT_MS);
    }
    lease.#timer = setInterval(() => lease.#renewSoon(), RENEW_MS);
    return lease;
  }

  /**
   * Number of this ownership of the store. It is higher than the numbers of all earlier ownerships that the storage
   * engine still knows.
   */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Gives the owner lease an epoch that is higher than `epoch`. Call this method if a bucket already has a fence with
   * the epoch `epoch`. This can happen because the storage engine can lose the newest lease in a failover, and then
   * gives the same epoch to two owners. Rejects with LeaseLost if another core has the lease.
   */
  async raiseEpoch(epoch: number): Promise<void> {
    const holder = await this.#attempt(epoch);
    if (holder !== undefined) throw new LeaseLost(`the core ${holder} has become the owner of the store`);
  }

  /** Ends the owner lease, so that a waiting core (standby) gets it at once. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
    const until = performance.now() + RENEW_MS;
    // An error is ignored, because an owner lease that cannot be released ends by itself after LEASE_MS.
    await this.#run(this.#call(RELEASE_LEASE_SCRIPT, [String(this.#epoch)]), until).catch(() => {});
    this.#nodes.close();
  }

  /** Closes the connections of the owner lease. Returns the error with which `acquire` rejects. */
  #close(cause: Error): Error {
    this.#nodes.close();
    return new Error(`the store at ${this.#shown} cannot be opened: ${cause.message}`, { cause });
  }

  /**
   * Tries once to acquire the owner lease, with an epoch above `above`. Resolves to undefined if this core has the
   * lease now, or to the id of the other core that has it.
   */
  async #attempt(above: number): Promise<string | undefined> {
    const began = performance.now();
    const call = this.#call(ACQUIRE_LEASE_SCRIPT, [String(LEASE_MS), String(above)]);
    const reply = await this.#run(call, began + RENEW_MS);
    if (Buffer.isBuffer(reply)) return reply.toString();
    this.#epoch = Number(reply);
    this.#validUntil = began + LEASE_MS - MARGIN_MS;
    return undefined;
  }

  #renewSoon(): void {
    if (performance.now() >= this.#validUntil) {
      this.#lose(`the owner lease could not be renewed for ${(LEASE_MS - MARGIN_MS) / 1000} seconds`);
      return;
    }
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
  }

  async #renew(): Promise<void> {
    const began = performance.now();
    const call = this.#call(RENEW_LEASE_SCRIPT, [String(LEASE_MS), String(this.#epoch)]);
    let validMs = LEASE_MS - MARGIN_MS;
    try {
      await this.#run(call, began + RENEW_MS);
    } catch (error) {
      // After any other error, the next tick renews the owner lease, or finds that it has ended.
      if (!(error instanceof NotConfirmed)) return;
      // While no replica confirms a write, no other core can acquire the owner lease. Therefore the owner keeps it and
      // answers fetches.
      validMs = UNCONFIRMED_MS;
    }
    if (Number(call.reply) === 1) this.#validUntil = Math.max(this.#validUntil, began + validMs);
    else this.#lose('another core has become the owner of the store');
  }

  #lose(reason: string): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#onLost(new LeaseLost(reason));
  }

  /** Returns a call of one of the Lua scripts of the owner lease. */
  #call({ sha }: Script, parameters: readonly string[]): BucketCall {
    const command = ['EVALSHA', sha, '1', LEASE_KEY, this.#owner, ...parameters];
    return { bucket: LEASE_BUCKET, command, isDurable: true };
  }

  /**
   * Runs a call of a script of the owner lease, and waits for the replicas. `until`: time after which the call is not
   * repeated (performance.now()). Rejects with NotConfirmed if the master has executed the call but too few replicas
   * confirm it.
   */
  async #run(call: BucketCall, until: number): Promise<Reply | undefined> {
    if (this.#nodes.masterOf(LEASE_BUCKET) === undefined) await this.#nodes.refresh();
    await this.#calls.run([call], until);
    return call.reply;
  }
}
