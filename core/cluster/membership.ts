import { Mutex } from '../../runtime/mutex.ts';
import { StoreMoved } from '../store/migration-marker.ts';
import { ClusterView } from './cluster-view.ts';
import { LEASE_MS, RENEW_MS, validMs } from './member-lease.ts';
import {
  type MemberState,
  type OwnerTable,
  type Renewal,
  StoreInUse,
  type WriteHold,
} from './owner-table.ts';
import type { Member } from './ownership.ts';

/**
 * Time between two renewals of the lease while buckets (groups of servers) move to or from this member, in
 * milliseconds.
 */
const HURRIED_MS = 150;
/** Shortest time between two renewals of the lease, in milliseconds. */
const SHORTEST_MS = 50;
/**
 * When the lease of another member ends, this member renews its own lease after this delay, ms. The reply to the
 * renewal says which buckets have lost their owner.
 */
const AFTER_END_MS = 10;

/** A monotonic clock with timers. Times are in milliseconds. */
export interface MemberClock {
  now(): number;
  /** Calls `run` once after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void;
}

/** Error if a process has lost its membership in the cluster, or one of its buckets. The process must end. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Options of `Membership` (the membership of a core in the cluster). */
export interface MembershipOptions {
  self: Member;
  /** The state with which this member joins the cluster. `alone`: it is the only user of the store. */
  state: MemberState;
  table: OwnerTable;
  clock: MemberClock;
  /** Called once if this member has lost its lease or the ownership of a bucket. The process must then end. */
  onLost(error: Error): void;
  /** Called with true when a pause (a time without a valid lease) begins, and with false when the pause ends. */
  onPaused(isPaused: boolean): void;
}

/**
 * The membership of this core in the cluster. Renews the lease, and keeps track of the members and the owners of
 * buckets. Without a valid lease, this core owns no bucket. This file exceeds the usual limit of 300 lines, because its
 * methods share private fields.
 */
export class Membership {
  readonly self: Member;
  readonly view: ClusterView;
  readonly clock: MemberClock;
  /** True while buckets move to or from this member. It then renews its lease more often. */
  isHurried = false;
  /**
   * True while this member acquires buckets and raises their fences. The fence of a bucket is a number in the store.
   * When it is raised, the store refuses writes of former owners of the bucket.
   */
  isTaking = false;
  /**
   * Id of the `WriteHold` (order to stop all writes) for which this member has stopped its writes. Empty if this member
   * has not stopped its writes.
   */
  stoppedFor = '';
  /**
   * Called with each new `WriteHold`, which orders all members to stop their writes. Called with undefined when the
   * `WriteHold` has ended.
   */
  onHold: (hold: WriteHold | undefined) => void = () => {};
  /**
   * Called after each renewal of the lease. `isChanged`: true if the members or the owners of buckets can have changed.
   */
  onRenewed: (isChanged: boolean) => void = () => {};
  /** Called when a pause (a time without a valid lease) begins. */
  onPause: () => void = () => {};
  /**
   * Called before a pause (a time without a valid lease) ends. Rejects if another core has taken a bucket of this core,
   * or if the check fails. Checks the store itself, because the owner table can lose changes in a failover.
   */
  checkBuckets: () => Promise<void> = () => Promise.resolve();
  readonly #table: OwnerTable;
  readonly #onLost: (error: Error) => void;
  readonly #onPaused: (isPaused: boolean) => void;
  /** Runs the calls to the owner table one after another, so that each reply shows the effects of all earlier calls. */
  readonly #calls = new Mutex();
  #state: MemberState;
  #hold: WriteHold | undefined;
  /** Time until which this member can rely on its lease. */
  #validUntil: number;
  #isPaused = false;
  #isChecking = false;
  #isEnded = false;
  /**
   * Id of a former member whose process has ended. This core ends the lease of that member. Undefined before the call
   * of `endLeaseOf`.
   */
  #former: string | undefined;
  /** Time when this member sent its last renewal of the lease. */
  #began: number;
  #otherEndsAt = 0;
  /** Time of the next planned renewal of the lease. Infinity if none is planned. */
  #nextAt = Number.POSITIVE_INFINITY;
  #isRenewing = false;
  /**
   * True if `refresh` was called during a renewal of the lease. The reply to this renewal can be outdated, so another
   * renewal follows.
   */
  #isAsked = false;
  #cancelNext: () => void = () => {};
  #cancelDeadline: () => void = () => {};

  /**
   * `joined`: the reply to the first renewal of the lease. With this renewal, this member has joined the cluster.
   * `began`: the time at which this member sent the renewal.
   */
  constructor(options: MembershipOptions, joined: Renewal, began: number) {
    const { self, state, table, clock, onLost, onPaused } = options;
    this.self = self;
    this.view = new ClusterView(self);
    this.clock = clock;
    this.#table = table;
    this.#onLost = onLost;
    this.#onPaused = onPaused;
    this.#state = state;
    this.#began = began;
    this.#validUntil = began + validMs(joined.isConfirmed);
    this.#accept(joined);
    this.#watchDeadline();
    this.#renewLater();
  }

  /** True while this member can be sure that its lease has not ended. */
  get isValid(): boolean {
    return !this.#isEnded && !this.#isPaused && this.clock.now() < this.#validUntil;
  }

  /** The current order to stop all writes of all members. Undefined while there is no such order. */
  get hold(): WriteHold | undefined {
    return this.#hold;
  }

  /** True when this member has left the cluster or has lost its lease. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Runs `work` after all earlier calls to the owner table have ended. The owner table says which core owns which
   * bucket.
   */
  call<T>(work: (table: OwnerTable) => Promise<T>): Promise<T> {
    return this.#calls.run(() => work(this.#table));
  }

  /** Renews the lease as soon as possible. */
  refresh(): void {
    if (this.#isRenewing) this.#isAsked = true;
    else this.#renewAt(0);
  }

  /**
   * Tells the other members of the cluster the new state of this member. `serving`: it takes buckets. `leaving`: it
   * gives all its buckets away. Resolves after one attempt. A failed attempt does no harm, because each lease renewal
   * sends the state again.
   */
  async setState(state: 'serving' | 'leaving'): Promise<void> {
    // A member in the state `alone` is the only user of the store. It keeps this state until it leaves.
    if (this.#state === 'alone') return;
    this.#state = state;
    await this.#renew();
  }

  /**
   * Ends the membership because this member has lost its lease or a bucket. First leaves the cluster, so that other
   * members can acquire its buckets at once.
   */
  lose(error: Error): void {
    if (!this.#isEnded) void this.leave().then(() => this.#onLost(error));
  }

  /** Leaves the cluster. If this fails, the lease ends by itself. */
  async leave(): Promise<void> {
    if (this.#isEnded) return;
    this.#end();
    await this.call(table => table.endLease(this.self.id)).catch(() => {});
  }

  /**
   * Ends the lease of another member, whose process has ended, and then renews the lease of this member, to learn which
   * buckets are free now. If the first step fails, the lease of the other member ends by itself later.
   */
  async endLeaseOf(id: string): Promise<void> {
    this.#former = id;
    await this.#endFormer();
  }

  async #endFormer(): Promise<void> {
    const former = this.#former;
    if (former === undefined || this.#isEnded) return;
    if (!this.view.members.some(({ id }) => id === former)) return;
    await this.call(table => table.endLease(former)).catch(() => {});
    this.refresh();
  }

  #end(): void {
    this.#isEnded = true;
    this.#cancelNext();
    this.#cancelDeadline();
  }

  async #renew(): Promise<void> {
    let renewal: Renewal | undefined;
    try {
      renewal = await this.#calls.run(() => {
        this.#began = this.clock.now();
        return this.#table.renew(this.#state, this.view.version, this.isTaking ? '' : this.stoppedFor);
      });
    } catch (error) {
      if (error instanceof StoreInUse || error instanceof StoreMoved) this.lose(error);
      // Ignores all errors except StoreInUse and StoreMoved, because this core soon tries to renew its lease once more.
      // If the lease ends before a renewal succeeds, `#watchDeadline` pauses this core, which then owns no servers.
    }
    if (renewal && !this.#isEnded) this.#accept(renewal);
  }

  /** Applies a reply of the owner table: the new end of the lease, and perhaps new members and owners. */
  #accept({ isConfirmed, otherEndsMs, hold, view }: Renewal): void {
    if (this.clock.now() >= this.#validUntil) this.#pause();
    this.#validUntil = Math.max(this.#validUntil, this.#began + validMs(isConfirmed));
    this.#otherEndsAt = this.#began + otherEndsMs;
    if (view) {
      this.view.adopt(view);
      // Ends the lease of the former member once more, because a delayed renewal can have made it a member again.
      void this.#endFormer();
    }
    this.#noteHold(hold);
    this.onRenewed(view !== undefined);
    if (this.#isPaused && !this.#isChecking && !this.#isEnded) void this.#continue();
  }

  /** Ends the pause of this core (a time without a valid lease) after a renewal, unless the lease has ended again. */
  async #continue(): Promise<void> {
    this.#isChecking = true;
    // This core is paused: its lease had ended, so it owns no servers. If `checkBuckets` rejects now, the core stays
    // paused. After the next renewal of the lease, `#accept` tries again to end the pause.
    const isHeld = await this.checkBuckets().then(
      () => true,
      () => false,
    );
    this.#isChecking = false;
    if (!isHeld || this.#isEnded || this.clock.now() >= this.#validUntil) return;
    this.#isPaused = false;
    this.#onPaused(false);
    this.onRenewed(true);
    this.#watchDeadline();
  }

  #noteHold(hold: WriteHold | undefined): void {
    if (JSON.stringify(hold) === JSON.stringify(this.#hold)) return;
    this.#hold = hold;
    this.stoppedFor = '';
    this.onHold(hold);
  }

  #renewLater(): void {
    const pause = this.isHurried ? HURRIED_MS : RENEW_MS;
    const next = Math.min(this.#began + pause, this.#otherEndsAt + AFTER_END_MS);
    this.#renewAt(this.#isAsked ? 0 : next);
  }

  /** Plans a renewal of the lease at the time `wanted`. If an earlier renewal is already planned, keeps that one. */
  #renewAt(wanted: number): void {
    const time = Math.max(wanted, this.#began + SHORTEST_MS);
    if (this.#isEnded || time >= this.#nextAt) return;
    this.#cancelNext();
    this.#nextAt = time;
    this.#cancelNext = this.clock.after(Math.max(0, time - this.clock.now()), () => void this.#renewNow());
  }

  async #renewNow(): Promise<void> {
    this.#nextAt = Number.POSITIVE_INFINITY;
    this.#isRenewing = true;
    this.#isAsked = false;
    await this.#renew();
    this.#isRenewing = false;
    this.#renewLater();
  }

  #watchDeadline(): void {
    const left = this.#validUntil - this.clock.now();
    if (this.#isEnded) return;
    if (left <= 0) this.#pause();
    else this.#cancelDeadline = this.clock.after(left, () => this.#watchDeadline());
  }

  #pause(): void {
    // In the state `alone`, this process must be the only one that changes the data. After its lease has ended, another
    // process may have changed the data. Therefore this process must end.
    if (this.#state === 'alone') {
      this.lose(new LeaseLost(`the lease of ${LEASE_MS / 1000} seconds could not be renewed in time`));
      return;
    }
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#cancelDeadline();
    this.#onPaused(true);
    this.onPause();
  }
}
