import type { Assigned } from './bucket-assignment.ts';
import { ACCOUNT_BUCKET_NUMBERS, ALL_BUCKETS, isAccountBucket } from './buckets.ts';
import type { ClusterView } from './cluster-view.ts';

/** The buckets that a member should acquire, and those that it should give to other members. */
export interface BucketPlan {
  take: number[];
  give: number[];
  /** Number of buckets that the member should get from other live members. */
  awaited: number;
}

/**
 * Returns the member that should own the accounts. The present lead stays the lead as long as it serves, because each
 * change of the lead interrupts all changes of tokens.
 */
export function plannedLead(view: ClusterView, assigned: Assigned): string {
  const serving = new Set(view.serving.map(({ id }) => id));
  for (const bucket of ACCOUNT_BUCKET_NUMBERS) {
    const owner = view.ownerIdOf(bucket);
    if (owner !== undefined && serving.has(owner)) return owner;
  }
  return assigned.lead;
}

/**
 * Compares the owners of buckets with the assignment. Returns what one member has to do: it takes its buckets if they
 * have no owner, and gives its other buckets. It also takes a bucket again that it owns in the table but has not
 * acquired completely. `self`: id of the member. `claimed`: buckets that it has acquired.
 */
export function planBuckets(
  self: string,
  view: ClusterView,
  assigned: Assigned,
  claimed: { has(bucket: number): boolean },
): BucketPlan {
  const plan: BucketPlan = { take: [], give: [], awaited: 0 };
  const lead = plannedLead(view, assigned);
  for (let bucket = 0; bucket < ALL_BUCKETS; bucket++) {
    const wanted = isAccountBucket(bucket) ? lead : assigned.owners[bucket];
    const owner = view.ownerIdOf(bucket);
    if (wanted === self) {
      if (owner === undefined || (owner === self && !claimed.has(bucket))) plan.take.push(bucket);
      else if (owner !== self) plan.awaited++;
    } else if (owner === self) plan.give.push(bucket);
  }
  return plan;
}

/**
 * Splits buckets into batches that are given one after another. Each batch has at most `most` buckets of servers. The
 * last batch contains all buckets of accounts, which always have the same owner.
 */
export function batchesOf(buckets: readonly number[], most: number): number[][] {
  const servers = buckets.filter(bucket => !isAccountBucket(bucket));
  const batches: number[][] = [];
  for (let from = 0; from < servers.length; from += most) batches.push(servers.slice(from, from + most));
  const accounts = buckets.filter(isAccountBucket);
  if (accounts.length > 0) batches.push(accounts);
  return batches;
}
