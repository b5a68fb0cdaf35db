import type { Assigned } from './bucket-assignment.ts';
import { ACCOUNT_BUCKET_NUMBERS, isAccountBucket } from './buckets.ts';
import type { ClusterView } from './cluster-view.ts';

/** Buckets (parts of the store) that a member (core) should acquire (`take`) or give to other members (`give`). */
export interface BucketPlan {
  take: number[];
  give: number[];
  /** Number of buckets that the member should own, but that other live members still own. */
  awaited: number;
}

/**
 * Returns the id of the member that should be the lead, which owns the accounts (tokens and webhooks). The present lead
 * stays until it leaves the cluster, because each change of the lead interrupts changes of tokens.
 */
export function plannedLead(view: ClusterView, assigned: Assigned): string {
  for (const bucket of ACCOUNT_BUCKET_NUMBERS) {
    const owner = view.servingOwnerOf(bucket);
    if (owner) return owner.id;
  }
  return assigned.lead;
}

/**
 * Returns which buckets a member must acquire or give away.
 *
 * - `self`: id of the member.
 * - `assigned`: the planned owner of each bucket.
 * - `claimed`: buckets that the member has acquired completely.
 */
export function planBuckets(
  self: string,
  view: ClusterView,
  assigned: Assigned,
  claimed: { has(bucket: number): boolean },
): BucketPlan {
  const wanted = new Set(assigned.bucketsOf.get(self));
  if (plannedLead(view, assigned) === self) for (const bucket of ACCOUNT_BUCKET_NUMBERS) wanted.add(bucket);
  const owned = view.bucketsOf(self);
  const give = [...owned].filter(bucket => !wanted.has(bucket));
  const isFree = (bucket: number): boolean => view.ownerOf(bucket) === undefined;
  // The member takes wanted buckets that have no owner. It also takes wanted buckets that it owns but has not acquired
  // completely: they are not in `claimed`.
  const take = [...wanted].filter(bucket => (owned.has(bucket) ? !claimed.has(bucket) : isFree(bucket)));
  const awaited = [...wanted].filter(bucket => !owned.has(bucket) && !isFree(bucket)).length;
  return { take, give, awaited };
}

/**
 * Splits a list of bucket numbers into batches. A bucket is a part of the store. Buckets of servers come first, at most
 * `most` in a batch. The last batch contains all buckets of accounts.
 */
export function batchesOf(buckets: readonly number[], most: number): number[][] {
  const servers = buckets.filter(bucket => !isAccountBucket(bucket));
  const batches: number[][] = [];
  for (let from = 0; from < servers.length; from += most) batches.push(servers.slice(from, from + most));
  const accounts = buckets.filter(isAccountBucket);
  if (accounts.length > 0) batches.push(accounts);
  return batches;
}
