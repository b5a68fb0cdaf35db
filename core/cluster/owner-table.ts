import type { Member } from './ownership.ts';

/**
 * What a member (core) of the cluster does with buckets (groups of servers or accounts). `joined`: it starts, and takes
 * no buckets yet. `serving`: it takes buckets. `leaving`: it gives its buckets away. `alone`: it uses the whole store
 * and allows no other member (`gsq migrate`).
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
 * Order to all members not to write. `held`: `gsq migrate` reads the data, which must not change until this order ends.
 * `moved`: the data was moved to another store, so the order never ends.
 */
export type WriteHold =
  | { readonly kind: 'held'; readonly id: string }
  | { readonly kind: 'moved'; readonly target: string };

/** Reply to a renewal of the lease of a member. */
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
 * Access of one member (core) to the owner table of the cluster. The owner table lists all members, and the owner of
 * each bucket (group of servers or accounts). All changes are atomic. All times are measured by one clock, which is not
 * the clock of a member. Each method rejects if the table cannot be reached. The change may then have happened or not.
 */
export interface OwnerTable {
  /**
   * Joins the cluster, or renews the lease of this member. `known`: version of the table that this member knows; empty
   * if it knows none. `stopped`: id of the order to stop writes (`WriteHold`) for which this member has stopped its
   * writes; empty if it has not stopped them. Rejects with StoreInUse if this member is not allowed to join. Rejects
   * with StoreMoved if the data was moved to another store before this member joined.
   */
  renew(state: MemberState, known: string, stopped: string): Promise<Renewal>;
  /**
   * Acquires buckets (groups of servers or accounts) for this member. Skips a bucket if it belongs to another member
   * whose lease has not ended. The acquired buckets get a new epoch: a number that is higher than `above` and than all
   * earlier epochs.
   *
   * Acquires nothing if the lease of this member has ended, or in the first GRACE_MS after a failover of the storage
   * engine. This member owns the acquired buckets even if no replica has confirmed the change of the table.
   */
  claim(buckets: readonly number[], above: number): Promise<Claim>;
  /**
   * Gives up buckets (groups of servers or accounts) of this member, so that they have no owner. Skips a bucket whose
   * epoch has changed since this member acquired it. (The epoch is a number that is higher for each new owner.)
   */
  give(owned: readonly OwnedBucket[]): Promise<void>;
  /** Ends the lease of this member. The buckets (groups of servers or accounts) of the member then have no owner. */
  leave(): Promise<void>;
}
