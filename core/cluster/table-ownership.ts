import type { BucketAssignment } from './bucket-assignment.ts';
import { batchesOf, planBuckets } from './bucket-plan.ts';
import type { BucketStore } from './bucket-store.ts';
import { isAccountBucket, SERVER_BUCKETS } from './buckets.ts';
import { checkClaims } from './claim-check.ts';
import { GivenBuckets } from './given-buckets.ts';
import { LeaseLost, type Membership } from './membership.ts';
import type { Claim, WriteHold } from './owner-table.ts';
import type { BucketHolder, Member, Ownership } from './ownership.ts';

/** A core loads new buckets (groups of servers) in batches of this size, and serves a batch as soon as it is loaded. */
const TAKEN_AT_ONCE = 128;
/** Maximum number of buckets of servers that a core gives away in one step. */
const GIVEN_AT_ONCE = 64;

/** Options of `TableOwnership`, with which a core takes and gives away buckets of store entries. */
export interface TableOwnershipOptions {
  membership: Membership;
  store: BucketStore;
  assignment: BucketAssignment;
  /**
   * Id of a member (core) whose process has ended for certain, and which this core replaces. This core ends the lease
   * of that member, and takes its buckets at once. Undefined if there is no such member.
   */
  former: string | undefined;
  /** Logs that the core could not take or give away buckets, and will try again. */
  warn(message: string, error: unknown): void;
}

/**
 * Takes and gives away buckets, according to the table of owners that all cores share. This file has more than 300
 * lines, because its methods share private fields.
 */
export class TableOwnership implements Ownership {
  readonly #membership: Membership;
  readonly #store: BucketStore;
  readonly #assignment: BucketAssignment;
  readonly #former: string | undefined;
  readonly #warn: TableOwnershipOptions['warn'];
  readonly #listeners = new Set<() => void>();
  /**
   * Epoch of each bucket of this core, even if this core has not loaded the bucket yet. An epoch is a number that grows
   * with each new owner of the bucket.
   */
  readonly #claimed = new Map<number, number>();
  readonly #loaded = new Set<number>();
  #holder: BucketHolder | undefined;
  #isClosing = false;
  /**
   * Resolves when this core has tried to give all its buckets to other cores. Undefined until this core begins to shut
   * down.
   */
  #givenAway: Promise<void> | undefined;
  /**
   * True if the last check found no bucket to take or to give away, and the cluster's members and the owners of buckets
   * have not changed since then.
   */
  #isSettled = false;
  #changing: Promise<void> | undefined;
  readonly #given: GivenBuckets;

  constructor({ membership, store, assignment, former, warn }: TableOwnershipOptions) {
    this.#membership = membership;
    this.#store = store;
    this.#assignment = assignment;
    this.#former = former;
    this.#warn = warn;
    this.#given = new GivenBuckets(membership, store, warn);
    membership.onRenewed = isChanged => this.#note(isChanged);
    membership.onPause = () => this.#announce();
    membership.checkBuckets = () => store.checkBuckets();
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

  /**
   * Number of buckets of store entries that this core owns. It is 0 while the lease of this core may have
   * ended, because other cores can then own the buckets.
   */
  get ownedBuckets(): number {
    return this.isValid ? this.#loaded.size : 0;
  }

  get isValid(): boolean {
    return this.#membership.isValid;
  }

  owns(bucket: number): boolean {
    return this.#loaded.has(bucket) && this.isValid;
  }

  /** Buckets (groups of store entries) that this core has loaded. They stay in the set while its lease is invalid. */
  get loaded(): ReadonlySet<number> {
    return this.#loaded;
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

  /**
   * Calls `stop` with a `WriteHold` when this core must stop all writes, for example during `gsq migrate`. `stop` must
   * resolve when all writes have ended. Calls `stop` with undefined when this core may write again.
   */
  watchHold(stop: (hold: WriteHold | undefined) => Promise<void>): void {
    const membership = this.#membership;
    membership.onHold = hold => {
      const ready = hold ? (this.#changing ?? Promise.resolve()) : Promise.resolve();
      ready
        // Waits for the end of a running transfer of buckets. Then calls `stop`, unless the `WriteHold` (command to
        // stop all writes) has ended in the meantime.
        .then(() => (membership.hold === hold ? stop(hold) : undefined))
        .then(
          () => {
            if (membership.hold !== hold || hold?.kind !== 'held') return;
            membership.stoppedFor = hold.id;
            membership.refresh();
          },
          error => this.#warn('store: this core cannot stop its writes for gsq migrate', error),
        );
    };
    if (membership.hold) membership.onHold(membership.hold);
  }

  start(holder: BucketHolder): void {
    this.#holder = holder;
    void this.#serve();
  }

  /**
   * Gives all buckets to other cores. Does nothing if there is no other core. Otherwise this core takes no more
   * buckets, but it stays a member and answers calls until `close`.
   */
  async handOver(): Promise<void> {
    if (this.#membership.view.serving.some(({ id }) => id !== this.self.id)) await this.#giveAway();
  }

  /** Gives all buckets of this core away, so that other cores can take them. Then leaves the cluster. */
  async close(): Promise<void> {
    await this.#giveAway();
    await this.#membership.leave();
  }

  /**
   * First tells the other cores that this core takes buckets of store entries. Then ends the lease of the former
   * process, which this core replaces. In the reverse order, other cores would take the buckets of the former process,
   * and would soon have to give them to this core.
   */
  async #serve(): Promise<void> {
    await this.#membership.setState('serving');
    if (this.#former !== undefined) await this.#membership.endLeaseOf(this.#former);
  }

  #giveAway(): Promise<void> {
    this.#isClosing = true;
    this.#givenAway ??= this.#giveAllAndWarn();
    return this.#givenAway;
  }

  async #giveAllAndWarn(): Promise<void> {
    await this.#changing;
    if (this.#membership.isEnded || this.#claimed.size === 0) return;
    await this.#membership.setState('leaving');
    await this.#giveAll().catch(error => {
      this.#warn('store: not all buckets could be given to other cores', error);
    });
  }

  #note(isChanged: boolean): void {
    if (isChanged) {
      const { forgotten, taken } = checkClaims(this.#claimed, this.#membership.view, this.self.id);
      if (taken !== undefined) this.#membership.lose(new LeaseLost(taken));
      for (const bucket of forgotten) this.#loaded.delete(bucket);
      this.#announce();
    }
    this.#changeSoon();
  }

  /**
   * Tells the listeners that one of these has changed: the members of the cluster, the owners of buckets, the loaded
   * buckets, or the validity of the lease (`isValid`).
   */
  #announce(): void {
    this.#isSettled = false;
    for (const listener of this.#listeners) listener();
  }

  /** Starts to take or give away buckets of store entries, unless this is in progress or not needed. */
  #changeSoon(): void {
    if (!this.#holder || this.#isClosing || this.#isSettled || this.#changing || !this.isValid) return;
    this.#changing = this.#change(this.#holder)
      .catch((error: Error) => this.#membership.lose(error))
      .finally(() => {
        this.#changing = undefined;
      });
  }

  async #change(holder: BucketHolder): Promise<void> {
    const { view } = this.#membership;
    const { forgotten } = checkClaims(this.#claimed, view, this.self.id);
    if (forgotten.length > 0) {
      if (this.#membership.hold || this.#store.refusal) return;
      this.#warn(`store: a failover has lost that this core acquired ${forgotten.length} buckets`, undefined);
      await this.#unload(forgotten, holder);
      for (const bucket of forgotten) this.#claimed.delete(bucket);
    }
    if (view.serving.length === 0) return;
    const assigned = this.#assignment.of(view.serving);
    const { take, give, awaited } = planBuckets(this.self.id, view, assigned, this.#claimed);
    this.#isSettled = take.length + give.length === 0;
    this.#membership.isHurried = take.length + give.length + awaited > 0;
    if (take.length > 0) await this.#take(take, holder);
    else this.#membership.isTaking = false; // After a failed take, these buckets have gone to another core.
    if (this.#membership.hold || this.#given.isAwaited || this.#store.refusal || give.length === 0) return;
    const [batch = []] = batchesOf(give, GIVEN_AT_ONCE);
    if (!(await this.#given.canGive(batch))) return;
    await this.#give(batch, holder);
    this.#given.note(batch);
  }

  async #take(buckets: readonly number[], holder: BucketHolder): Promise<void> {
    const taken = await this.#acquire(buckets);
    if (this.#membership.isEnded || taken.length === 0) return;
    // Loads the buckets that contain tokens first, because no token can be changed until its bucket is loaded.
    for (const batch of batchesOf(taken, TAKEN_AT_ONCE).reverse()) {
      await holder.take(batch);
      if (batch.some(isAccountBucket)) await this.#store.finishLoading();
      if (this.#membership.isEnded) return;
      for (const bucket of batch) if (this.ownerOf(bucket) === this.self) this.#loaded.add(bucket);
      this.#announce();
    }
  }

  /** Makes this core the owner of buckets, in the owner table and in the store. Returns the acquired buckets. */
  async #acquire(buckets: readonly number[]): Promise<readonly number[]> {
    // While `isTaking` is true, `gsq migrate` is not told that all writes have stopped. This is necessary because the
    // old owner of the buckets can write until `#claimAndRaise` succeeds.
    this.#membership.isTaking = true;
    const taken = await this.#claimAndRaise(buckets);
    if (taken) this.#membership.isTaking = false;
    return taken ?? [];
  }

  /**
   * Makes this core the owner of buckets. Resolves to the acquired buckets, or to undefined if the owner table or the
   * store is not reachable.
   */
  async #claimAndRaise(buckets: readonly number[]): Promise<readonly number[] | undefined> {
    let claim = await this.#claim(buckets, 0);
    for (;;) {
      if (!claim) return undefined;
      const { epoch, buckets: claimed } = claim;
      if (claimed.length === 0 || this.#membership.isEnded) return [];
      const taken = await this.#store.takeBuckets(claimed, epoch);
      if (taken.kind === 'taken') return claimed;
      // The store has a higher epoch of a bucket than the owner table, because a failover lost the newest table. So
      // this core claims the buckets again, with an even higher epoch. An epoch grows with each new owner of a bucket.
      if (taken.kind === 'newer') claim = await this.#claim(claimed, taken.epoch);
      else {
        this.#warn('store: the fences of buckets could not be raised; trying again', taken.error);
        for (const bucket of claimed) this.#claimed.delete(bucket);
        return undefined;
      }
    }
  }

  async #claim(buckets: readonly number[], above: number): Promise<Claim | undefined> {
    for (const bucket of buckets) this.#claimed.delete(bucket);
    try {
      const claim = await this.#membership.call(table => table.claim(buckets, above));
      for (const bucket of claim.buckets) this.#claimed.set(bucket, claim.epoch);
      this.#membership.view.addOwn(claim.buckets, claim.epoch);
      if (claim.buckets.length < buckets.length) this.#membership.refresh();
      return claim;
    } catch (error) {
      this.#warn('store: buckets could not be acquired; trying again', error);
      return undefined;
    }
  }

  /** Gives all buckets away: first those with servers, then those with accounts (tokens and webhooks). */
  async #giveAll(): Promise<void> {
    const holder = this.#holder as BucketHolder;
    for (const batch of batchesOf([...this.#claimed.keys()], GIVEN_AT_ONCE))
      if (!(await this.#give(batch, holder))) return;
  }

  async #unload(buckets: readonly number[], holder: BucketHolder): Promise<void> {
    for (const bucket of buckets) this.#loaded.delete(bucket);
    this.#announce();
    await holder.give(buckets);
    await this.#store.dropBuckets(buckets);
  }

  /** Unloads buckets, and removes their owner in the owner table. Resolves to false if this table cannot be changed. */
  async #give(buckets: readonly number[], holder: BucketHolder): Promise<boolean> {
    const held = buckets.filter(bucket => this.#claimed.has(bucket));
    await this.#unload(held, holder);
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
