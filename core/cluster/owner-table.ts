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

/** A member (core) in the owner table, the table of all members and of the owner of each bucket. */
export interface ListedMember extends Member {
  readonly state: MemberState;
}

/** Value in `OwnersView.owners` for a bucket (group of servers or accounts) that has no owner. */
export const NO_OWNER = -1;

/** The members of the cluster and the owners of all buckets (groups of servers or accounts) at one moment. */
export interface OwnersView {
  /**
   * Version of the table of owners: a text that changes with each change of a member or of the owner of a bucket (group
   * of servers or accounts).
   */
  readonly version: string;
  /** The members (cores) of the cluster whose lease has not ended, in any order. */
  readonly members: readonly ListedMember[];
  /**
   * For each bucket (group of servers or accounts), the index of its owner in `members`. NO_OWNER if the bucket has no
   * owner, or if the lease of its owner has ended.
   */
  readonly owners: readonly number[];
  /**
   * Epoch of each bucket (group of servers or accounts): a number that is higher for each new owner (see `Claim`). 0 if
   * the bucket never had an owner.
   */
  readonly epochs: readonly number[];
}

/**
 * Command to all members to stop their writes. `held`: `gsq migrate` reads the data; writes are allowed again
 * afterwards. `moved`: the data was moved to another store, so writes are never allowed again.
 */
export type WriteHold =
  | { readonly kind: 'held'; readonly id: string }
  | { readonly kind: 'moved'; readonly target: string };

/** Reply to a member that renews its lease. */
export interface Renewal {
  /** False if the storage engine has stored the renewal of the lease, but too few replicas have confirmed it. */
  readonly isConfirmed: boolean;
  /**
   * Time until the first lease of another member (core) of the cluster ends, ms. Infinity if there is no other member.
   */
  readonly otherEndsMs: number;
  /** Set while `gsq migrate` forbids all members (cores) to write. Undefined while members are allowed to write. */
  readonly hold: WriteHold | undefined;
  /**
   * Content of the owner table: the members (cores) and the owner of each bucket. Undefined if this member already
   * knows the current version of the table.
   */
  readonly view: OwnersView | undefined;
}

/**
 * Error if a process cannot join or stay in the cluster: a core while `gsq migrate` uses the store, or `gsq migrate`
 * while a core uses it.
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
 * Result of one call of `claim`: the buckets (groups of servers or accounts) that a member has acquired, and their
 * epoch.
 */
export interface Claim {
  /**
   * Epoch: a number that increases with each new owner of a bucket. It is higher than every earlier epoch that the
   * table of owners knows.
   */
  readonly epoch: number;
  readonly buckets: readonly number[];
}

/**
 * A bucket (group of servers or accounts) that a member owns, and its epoch: a number that is higher for each new
 * owner.
 */
export interface OwnedBucket {
  readonly bucket: number;
  readonly epoch: number;
}

/**
 * The owner table: all members (cores), and the owner of each bucket (group of servers or accounts). All changes are
 * atomic, and one clock measures all times. If a method rejects, its change may have happened anyway.
 */
export interface OwnerTable {
  /**
   * Joins the cluster, or renews the lease of this member. Rejects with StoreInUse if the member may not join, and with
   * StoreMoved if the data was moved to another store.
   *
   * - `known`: version of the table that the member knows, or ''.
   * - `stopped`: id of the `WriteHold` for which the member has stopped its writes, or ''.
   */
  renew(state: MemberState, known: string, stopped: string): Promise<Renewal>;
  /**
   * Tries to acquire `buckets` (groups of servers or accounts). Skips a bucket if another member with a valid lease
   * owns it. The new epoch is higher than `above` and all earlier epochs. Acquires nothing if this member has no valid
   * lease, or in the first GRACE_MS after a failover. Does not wait for replicas.
   */
  claim(buckets: readonly number[], above: number): Promise<Claim>;
  /**
   * Gives up buckets (groups of servers or accounts) of this member, so that they have no owner. Skips a bucket whose
   * epoch is now higher than in `owned`, because the bucket was acquired again.
   */
  give(owned: readonly OwnedBucket[]): Promise<void>;
  /** Ends the lease of this member. The buckets (groups of servers or accounts) of the member then have no owner. */
  leave(): Promise<void>;
}
