import type { BucketAssignment } from './bucket-assignment.ts';
import { batchesOf, planBuckets } from './bucket-plan.ts';
import { ALL_BUCKETS, isAccountBucket, SERVER_BUCKETS } from './buckets.ts';
import { LeaseLost, type Membership } from './membership.ts';
import type { Claim } from './owner-table.ts';
import type { BucketHolder, Member, Ownership } from './ownership.ts';

/** Maximum number of buckets of servers that a member gives away at once. */
const GIVEN_AT_ONCE = 64;
/** Longest time for which a member waits until given buckets have an owner, before it gives more, in milliseconds. */
const GIVEN_MS = 1_000;

/**
 * Result of `BucketStore.takeBuckets`. `newer`: a bucket has the fence of a newer owner, with this epoch. `failed`: the
 * storage engine could not be reached; the caller can try again.
 */
export type TakenBuckets =
  | { readonly kind: 'taken' }
  | { readonly kind: 'newer'; readonly epoch: number }
  | { readonly kind: 'failed'; readonly error: Error };

/** The store of a core, which writes only to the buckets that the core owns. */
export interface BucketStore {
  /** The error with which writes are refused; undefined while writes are accepted. */
  readonly refusal: Error | undefined;
  /**
   * Makes this core the only one that can write to buckets (raises their fences). Waits while a recovery compares the
   * stored entries with memory. Rejects if the stored data cannot be used by this release.
   */
  takeBuckets(buckets: readonly number[], epoch: number): Promise<TakenBuckets>;
  /** Writes all queued operations. Afterwards refuses writes to these buckets. Waits like `takeBuckets`. */
  dropBuckets(buckets: readonly number[]): Promise<void>;
  /** Stores the version of the store format, if this core owns the accounts. */
  finishLoading(): Promise<void>;
}

/** Options of `TableOwnership`. */
export interface TableOwnershipOptions {
  membership: Membership;
  store: BucketStore;
  assignment: BucketAssignment;
  /** Logs that buckets could not be taken or given, and that this is tried again. */
  warn(message: string, error: unknown): void;
}

/** `Ownership` by a table that all members of the cluster share: acquires and gives buckets. */
export class TableOwnership implements Ownership {
  readonly #membership: Membership;
  readonly #store: BucketStore;
  readonly #assignment: BucketAssignment;
  readonly #warn: TableOwnershipOptions['warn'];
  readonly #listeners = new Set<() => void>();
  /** The epoch of each bucket that this core has acquired and not given. Not all of them are loaded. */
  readonly #claimed = new Map<number, number>();
  /** For each bucket: 1 if this core has loaded it and serves it. */
  readonly #loaded = new Uint8Array(ALL_BUCKETS);
  #holder: BucketHolder | undefined;
  #isClosing = false;
  /** True if nothing has changed since this core found that it has nothing to take or to give. */
  #isSettled = false;
  #changing: Promise<void> | undefined;
  /** The buckets that this core has given last, and until when it waits for their new owner. */
  #given: { buckets: readonly number[]; until: number } = { buckets: [], until: 0 };

  constructor({ membership, store, assignment, warn }: TableOwnershipOptions) {
    this.#membership = membership;
    this.#store = store;
    this.#assignment = assignment;
    this.#warn = warn;
    membership.onRenewed = isChanged => this.#note(isChanged);
  }

  get self(): Member {
    return this.#membership.self;
  }

  get members(): readonly Member[] {
    return this.#membership.view.members;
  }

  get lead(): Member | undefined {
    return this.ownerOf(SERVER_BUCKETS);
  }

  /** Number of buckets that this core has loaded. */
  get ownedBuckets(): number {
    return this.#loaded.reduce((sum, loaded) => sum + loaded, 0);
  }

  owns(bucket: number): boolean {
    return this.#loaded[bucket] === 1 && this.#membership.isValid;
  }

  /** True if this core has loaded a bucket, even if it cannot rely on its lease any more. */
  hasLoaded(bucket: number): boolean {
    return this.#loaded[bucket] === 1;
  }

  ownerOf(bucket: number): Member | undefined {
    return this.#membership.view.ownerOf(bucket);
  }

  refresh(): void {
    this.#membership.refresh();
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  start(holder: BucketHolder): void {
    this.#holder = holder;
    void this.#membership.setState('serving');
  }

  /** Gives all buckets to other members and leaves the cluster. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#changing;
    if (!this.#membership.isEnded && this.#claimed.size > 0) {
      await this.#membership.setState('leaving');
      await this.#giveAll().catch(error => {
        this.#warn('store: not all buckets could be given to other cores', error);
      });
    }
    await this.#membership.leave();
  }

  #note(isChanged: boolean): void {
    if (isChanged) {
      const lost = [...this.#claimed.keys()].find(
        bucket => this.#membership.view.ownerIdOf(bucket) !== this.self.id,
      );
      if (lost !== undefined) {
        this.#membership.lose(new LeaseLost(`bucket ${lost} does not belong to this core any more`));
        return;
      }
      this.#announce();
    }
    this.#changeSoon();
  }

  /** Tells the listeners that something has changed. */
  #announce(): void {
    this.#isSettled = false;
    for (const listener of this.#listeners) listener();
  }

  /** Takes or gives buckets, unless this core already does that or has nothing to change. */
  #changeSoon(): void {
    if (!this.#holder || this.#isClosing || this.#isSettled || this.#changing) return;
    this.#changing = this.#change(this.#holder)
      .catch((error: Error) => this.#membership.lose(error))
      .finally(() => {
        this.#changing = undefined;
      });
  }

  async #change(holder: BucketHolder): Promise<void> {
    const { view, isConfirmed } = this.#membership;
    if (view.serving.length === 0) return;
    const assigned = this.#assignment.of(view.serving);
    const { take, give, awaited } = planBuckets(this.self.id, view, assigned, this.#claimed);
    this.#isSettled = take.length + give.length === 0;
    this.#membership.isHurried = take.length + give.length + awaited > 0;
    // A claim waits for replicas. While none confirms, a claim would only delay the renewals of the lease.
    if (take.length > 0 && isConfirmed) await this.#take(take, holder);
    if (this.#membership.isEnded || this.#isGivenWaiting || this.#store.refusal) return;
    if (give.length === 0) return;
    const [batch = []] = batchesOf(give, GIVEN_AT_ONCE);
    await this.#give(batch, holder);
    this.#given = { buckets: batch, until: this.#membership.clock.now() + GIVEN_MS };
  }

  /** True while buckets that this core has given have no owner, but not longer than a time limit. */
  get #isGivenWaiting(): boolean {
    const { buckets, until } = this.#given;
    const { view, clock } = this.#membership;
    return clock.now() < until && buckets.some(bucket => view.ownerIdOf(bucket) === undefined);
  }

  async #take(buckets: readonly number[], holder: BucketHolder): Promise<void> {
    const taken = await this.#acquire(buckets);
    if (this.#membership.isEnded || taken.length === 0) return;
    await holder.take(taken);
    if (taken.some(isAccountBucket)) await this.#store.finishLoading();
    if (this.#membership.isEnded) return;
    for (const bucket of taken) this.#loaded[bucket] = 1;
    this.#announce();
  }

  /** Acquires buckets in the table and raises their fences. Returns those that were acquired. */
  async #acquire(buckets: readonly number[]): Promise<readonly number[]> {
    let { epoch, buckets: claimed } = await this.#claim(buckets, 0);
    for (;;) {
      if (claimed.length === 0 || this.#membership.isEnded) return [];
      const taken = await this.#store.takeBuckets(claimed, epoch);
      if (taken.kind === 'taken') return claimed;
      // The storage engine can lose the newest table in a failover, and then gives the same epoch to two owners. The
      // fence of the other owner is still stored in the bucket, so this core needs a higher epoch.
      if (taken.kind === 'newer') ({ epoch, buckets: claimed } = await this.#claim(claimed, taken.epoch));
      else {
        this.#warn('store: the fences of buckets could not be raised; trying again', taken.error);
        for (const bucket of claimed) this.#claimed.delete(bucket);
        return [];
      }
    }
  }

  async #claim(buckets: readonly number[], above: number): Promise<Claim> {
    for (const bucket of buckets) this.#claimed.delete(bucket);
    try {
      const claim = await this.#membership.call(table => table.claim(buckets, above));
      for (const bucket of claim.buckets) this.#claimed.set(bucket, claim.epoch);
      this.#membership.view.addOwn(claim.buckets, claim.epoch);
      if (claim.buckets.length < buckets.length) this.#membership.refresh();
      return claim;
    } catch (error) {
      this.#warn('store: buckets could not be acquired; trying again', error);
      return { epoch: 0, buckets: [] };
    }
  }

  /** Gives all buckets away, those of accounts last. */
  async #giveAll(): Promise<void> {
    const holder = this.#holder as BucketHolder;
    for (const batch of batchesOf([...this.#claimed.keys()], GIVEN_AT_ONCE))
      if (!(await this.#give(batch, holder))) return;
  }

  /** Unloads buckets and frees them in the table. Resolves to false if the table could not be changed. */
  async #give(buckets: readonly number[], holder: BucketHolder): Promise<boolean> {
    const held = buckets.filter(bucket => this.#claimed.has(bucket));
    for (const bucket of held) this.#loaded[bucket] = 0;
    this.#announce();
    await holder.give(held);
    await this.#store.dropBuckets(held);
    if (this.#membership.isEnded) return false;
    const { view } = this.#membership;
    const owned = buckets.map(bucket => ({
      bucket,
      epoch: this.#claimed.get(bucket) ?? view.epochOf(bucket),
    }));
    for (const bucket of held) this.#claimed.delete(bucket);
    try {
      await this.#membership.call(table => table.give(owned));
      view.removeOwn(buckets);
      return true;
    } catch (error) {
      this.#warn('store: buckets could not be given to other cores; trying again', error);
      return false;
    }
  }
}
