import { Mutex } from '../../runtime/mutex.ts';
import { ClusterView } from './cluster-view.ts';
import { LEASE_MS, MemberLease, RENEW_MS } from './member-lease.ts';
import { type MemberState, type OwnerTable, type Renewal, StoreInUse } from './owner-table.ts';
import type { Member } from './ownership.ts';

/** Time between two renewals while this member takes or gives buckets, in milliseconds. */
const HURRIED_MS = 150;
/** Shortest time between two renewals, in milliseconds. */
const SHORTEST_MS = 50;
/** If the lease of another member ends soon, the next renewal is this long after its end, in milliseconds. */
const AFTER_END_MS = 10;

/** A monotonic clock with timers. Times are in milliseconds. */
export interface MemberClock {
  now(): number;
  /** Calls `run` once after `ms` milliseconds. Returns a function that cancels this. */
  after(ms: number, run: () => void): () => void;
}

/** Error if a core has lost its lease or a bucket, or could not renew its lease in time. The process must end. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Options of `Membership`. */
export interface MembershipOptions {
  self: Member;
  /** State with which the member has joined. */
  state: MemberState;
  table: OwnerTable;
  clock: MemberClock;
  /** Called once if this member has lost its lease or a bucket. The process must then end. */
  onLost(error: Error): void;
}

/**
 * The membership of this core in the cluster: renews its lease, and keeps its view of the members and the owners of
 * buckets up to date.
 */
export class Membership {
  readonly self: Member;
  readonly view: ClusterView;
  readonly clock: MemberClock;
  /** True while this member takes or gives buckets, so that it renews its lease more often. */
  isHurried = false;
  /** Called after each renewal. `isChanged`: true if the members or the owners of buckets can have changed. */
  onRenewed: (isChanged: boolean) => void = () => {};
  readonly #table: OwnerTable;
  readonly #onLost: (error: Error) => void;
  readonly #lease = new MemberLease();
  /** One call of the table at a time, so that each reply shows the effects of all earlier calls. */
  readonly #calls = new Mutex();
  #state: MemberState;
  #isEnded = false;
  /** Time when the last renewal began. */
  #began: number;
  #otherEndsAt = 0;
  /** Time of the next renewal. Infinity while no timer runs for it. */
  #nextAt = Number.POSITIVE_INFINITY;
  #isRenewing = false;
  /** True if `refresh` was called during a renewal, whose reply can be older than what the caller knows. */
  #isAsked = false;
  #cancelNext: () => void = () => {};
  #cancelDeadline: () => void = () => {};

  /** `joined`: reply to the first renewal, by which this member has joined. `began`: time before it was sent. */
  constructor({ self, state, table, clock, onLost }: MembershipOptions, joined: Renewal, began: number) {
    this.self = self;
    this.view = new ClusterView(self);
    this.clock = clock;
    this.#table = table;
    this.#onLost = onLost;
    this.#state = state;
    this.#began = began;
    this.#accept(joined);
    this.#watchDeadline();
    this.#renewLater();
  }

  /** True while this member can rely on its lease. */
  get isValid(): boolean {
    return !this.#isEnded && this.clock.now() < this.#lease.validUntil;
  }

  /** True if replicas confirm the renewals, so that this member can acquire buckets. */
  get isConfirmed(): boolean {
    return this.#lease.isConfirmed;
  }

  /** True when this member has left the cluster or has lost its lease. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Runs a call of the table when all earlier calls have ended. */
  call<T>(work: (table: OwnerTable) => Promise<T>): Promise<T> {
    return this.#calls.run(() => work(this.#table));
  }

  /** Renews the lease soon. */
  refresh(): void {
    if (this.#isRenewing) this.#isAsked = true;
    else this.#renewAt(0);
  }

  /**
   * Tells the other members that this member takes buckets, or that it gives all its buckets away. Resolves after one
   * attempt; the next renewals repeat it.
   */
  async setState(state: 'serving' | 'leaving'): Promise<void> {
    // A member that uses the store alone stays in this state until it leaves.
    if (this.#state === 'alone') return;
    this.#state = state;
    await this.#renew();
  }

  /** Ends the membership because this member has lost its lease or a bucket. */
  lose(error: Error): void {
    if (this.#isEnded) return;
    this.#end();
    this.#onLost(error);
  }

  /** Leaves the cluster. If this fails, the lease ends by itself. */
  async leave(): Promise<void> {
    if (this.#isEnded) return;
    this.#end();
    await this.call(table => table.leave()).catch(() => {});
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
        return this.#table.renew(this.#state, this.view.version);
      });
    } catch (error) {
      if (error instanceof StoreInUse) this.lose(error);
      // After any other error, the next renewal tries again until the lease cannot be relied on.
    }
    if (renewal && !this.#isEnded) this.#accept(renewal);
  }

  /** Notes the reply to the last renewal. */
  #accept({ isConfirmed, otherEndsMs, view }: Renewal): void {
    this.#lease.extend(this.#began, isConfirmed);
    this.#otherEndsAt = this.#began + otherEndsMs;
    if (view) this.view.adopt(view);
    if (this.isValid) this.onRenewed(view !== undefined);
    else this.#loseLease();
  }

  #renewLater(): void {
    const pause = this.isHurried ? HURRIED_MS : RENEW_MS;
    const next = Math.min(this.#began + pause, this.#otherEndsAt + AFTER_END_MS);
    this.#renewAt(this.#isAsked ? 0 : next);
  }

  /** Renews the lease at a time, or earlier if an earlier renewal is already planned. */
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
    const left = this.#lease.validUntil - this.clock.now();
    if (this.#isEnded) return;
    if (left <= 0) this.#loseLease();
    else this.#cancelDeadline = this.clock.after(left, () => this.#watchDeadline());
  }

  #loseLease(): void {
    this.lose(
      new LeaseLost(`the lease of this core, ${LEASE_MS / 1000} seconds, could not be renewed in time`),
    );
  }
}
