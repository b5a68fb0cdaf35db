import type { Member } from './ownership.ts';

/**
 * What a member of the cluster does. `joined`: it starts, and takes no buckets yet. `serving`: it takes buckets.
 * `leaving`: it gives its buckets away. `alone`: it uses the whole store and allows no other member (`gsq migrate`).
 */
export type MemberState = 'joined' | 'serving' | 'leaving' | 'alone';

/** A member of the cluster as the table lists it. */
export interface ListedMember extends Member {
  readonly state: MemberState;
}

/** The content of the table of owners at one moment. */
export interface OwnersView {
  /** Text that is different after each change of a member or of an owner. */
  readonly version: string;
  /** The members whose lease has not ended, in any order. */
  readonly members: readonly ListedMember[];
  /** Id of the owner of each bucket. Undefined if the bucket has no owner, or if the lease of its owner has ended. */
  readonly owners: readonly (string | undefined)[];
  /** The epoch of the ownership of each bucket. 0 if the bucket never had an owner. */
  readonly epochs: readonly number[];
}

/** Reply to a renewal of the lease of a member. */
export interface Renewal {
  /** False if the storage engine has the renewal, but too few replicas have confirmed it. */
  readonly isConfirmed: boolean;
  /** Time until the lease of another member ends, in milliseconds. Infinity if there is no other member. */
  readonly otherEndsMs: number;
  /** The table; undefined if it still has the version that the member knows. */
  readonly view: OwnersView | undefined;
}

/** Error if a member cannot join or stay, because `gsq migrate` or, for `gsq migrate`, a core uses the store. */
export class StoreInUse extends Error {
  override name = 'StoreInUse';
  /** Id of the process that uses the store. */
  readonly user: string;

  constructor(user: string) {
    super(`the store is in use by ${user}`);
    this.user = user;
  }
}

/** Buckets that a member has acquired, and the epoch of this ownership. */
export interface Claim {
  /** Number of the ownership. It is higher than the epochs of all earlier owners that the table knows. */
  readonly epoch: number;
  readonly buckets: readonly number[];
}

/** A bucket, and the epoch with which a member owns it. */
export interface OwnedBucket {
  readonly bucket: number;
  readonly epoch: number;
}

/**
 * The members of a cluster and the owners of all buckets, as one member changes them. All changes are atomic. All times
 * are measured by one clock, which is not the clock of a member. Each method rejects if the table cannot be reached; the
 * change may then have happened or not.
 */
export interface OwnerTable {
  /**
   * Joins the cluster, or renews the lease of this member. `known`: version that this member knows, or an empty text.
   * Rejects with StoreInUse if this member is not allowed to join.
   */
  renew(state: MemberState, known: string): Promise<Renewal>;
  /**
   * Acquires those of the buckets that have no owner, whose owner's lease has ended, or that this member owns already.
   * The new epoch is higher than `above`. Acquires nothing if the lease of this member has ended. Also rejects if too
   * few replicas confirm the change.
   */
  claim(buckets: readonly number[], above: number): Promise<Claim>;
  /** Frees buckets that this member owns with exactly these epochs. */
  give(owned: readonly OwnedBucket[]): Promise<void>;
  /** Ends the lease of this member. Its buckets are then free. */
  leave(): Promise<void>;
}
