import type { Member } from './ownership.ts';

/**
 * What a member (core) does with buckets (groups of servers or accounts).
 *
 * - `joined`: takes none yet.
 * - `serving`: takes buckets.
 * - `leaving`: gives its buckets away.
 * - `alone`: uses the whole store and allows no other member (`gsq migrate`).
 */
export type MemberState = 'joined' | 'serving' | 'leaving' | 'alone';

/** A member as the owner table lists it, with its id, its address and its state. */
export interface ListedMember extends Member {
  readonly state: MemberState;
}

/** Value in `OwnersView.owners` for a bucket that has no owner. */
export const NO_OWNER = -1;

/** The members of the cluster and the owners of all buckets at one moment. */
export interface OwnersView {
  /** Version of the owner table: a text that changes with each change of a member or of the owner of a bucket. */
  readonly version: string;
  /** The members of the cluster whose lease has not ended, in any order. */
  readonly members: readonly ListedMember[];
  /**
   * For each bucket, the index of its owner in `members`. NO_OWNER if the bucket has no owner, or if the lease of its
   * owner has ended.
   */
  readonly owners: readonly number[];
  /**
   * Epoch of each bucket: a number that is higher for each new owner (see `Claim`). 0 if the bucket never had an owner.
   */
  readonly epochs: readonly number[];
}

/**
 * Command to all members to stop their writes. `held`: `gsq migrate` reads the data; writes are allowed again
 * afterwards. `moved`: the data was moved to another store, so this store accepts no more writes.
 */
export type WriteHold =
  | { readonly kind: 'held'; readonly id: string }
  | { readonly kind: 'moved'; readonly target: string };

/** Reply to a member that renews its lease. */
export interface Renewal {
  /**
   * True if enough replicas have confirmed the renewal of the lease. False if too few replicas have confirmed it, so
   * that a failover of the storage engine could lose the renewal.
   */
  readonly isConfirmed: boolean;
  /** Time until the next lease of the other members of the cluster ends, ms. Infinity if there is no other member. */
  readonly otherEndsMs: number;
  /** Set while `gsq migrate` forbids all members to write. Undefined while members are allowed to write. */
  readonly hold: WriteHold | undefined;
  /**
   * Content of the owner table: the members and the owner of each bucket. Undefined if this member already knows the
   * current version of the table.
   */
  readonly view: OwnersView | undefined;
}

/**
 * Error if a process cannot join or stay in the cluster. Either the process is a core, and `gsq migrate` uses the
 * store. Or the process is `gsq migrate`, and a core uses the store.
 */
export class StoreInUse extends Error {
  override name = 'StoreInUse';
  /** Id of the process that uses the store. */
  readonly user: string;

  constructor(user: string) {
    super(`the store is in use by ${user}`);
    this.user = user;
  }
}

/**
 * Result of one call of `claim`: the buckets that a member has acquired, and their epoch, a number that is higher for
 * each new owner.
 */
export interface Claim {
  /**
   * Epoch: a number that increases with each new owner of a bucket. It is higher than every earlier epoch that the
   * owner table knows.
   */
  readonly epoch: number;
  readonly buckets: readonly number[];
}

/** A bucket that a member owns, and its epoch: a number that is higher for each new owner. */
export interface OwnedBucket {
  readonly bucket: number;
  readonly epoch: number;
}

/**
 * The owner table: all members, and the owner of each bucket. Each change is atomic. All times are measured by the
 * clock of the storage engine. If a method rejects, its change may have been made nevertheless.
 */
export interface OwnerTable {
  /**
   * Joins the cluster, or renews the lease of this member. Rejects with StoreInUse if the member may not join, and with
   * StoreMoved if the data was moved to another store.
   *
   * - `known`: version of the table that the member knows; empty if it knows none.
   * - `stopped`: id of the `WriteHold` for which the member has stopped its writes; empty if it has not stopped them.
   */
  renew(state: MemberState, known: string, stopped: string): Promise<Renewal>;
  /**
   * Tries to make this member the owner of `buckets`.
   *
   * - Skips each bucket that belongs to another member with a valid lease.
   * - Acquires nothing if this member has no valid lease, or in the first GRACE_MS after a failover or an outage.
   * - The new epoch (ownership number) is higher than `above`, and higher than all earlier epochs.
   * - Resolves even if the replicas have not confirmed the change.
   */
  claim(buckets: readonly number[], above: number): Promise<Claim>;
  /**
   * Gives up buckets of this member, so that they have no owner. Skips a bucket that was acquired again in the
   * meantime: its epoch is now higher than in `owned`.
   */
  give(owned: readonly OwnedBucket[]): Promise<void>;
  /**
   * Ends the lease of the member with this id. The buckets of the member then have no owner. Does nothing if there is
   * no such member.
   */
  endLease(id: string): Promise<void>;
}
