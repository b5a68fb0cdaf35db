import type { ClusterView } from './cluster-view.ts';

/** Result of `checkClaims`: acquired buckets that no longer belong to this core in the table of owners. */
export interface ClaimCheck {
  /**
   * Buckets (groups of servers) that this core has acquired, although the table of owners now contains an older owner.
   * This happens if a failover has lost the newest changes of the table.
   */
  forgotten: number[];
  /**
   * Message for people about the first lost bucket that was found. Undefined if this core has lost no bucket. A bucket
   * is lost if the table of owners contains a different owner or none, and its epoch (ownership number) in the table is
   * not lower than the epoch with which this core acquired it.
   */
  taken: string | undefined;
}

/**
 * Finds the buckets that a core has acquired, but that no longer belong to it in the table of owners. `claimed`: the
 * acquired buckets and their epochs. The epoch of a bucket increases with each new owner. `self`: id of the core.
 */
export function checkClaims(
  claimed: ReadonlyMap<number, number>,
  view: Pick<ClusterView, 'ownerIdOf' | 'epochOf'>,
  self: string,
): ClaimCheck {
  const forgotten: number[] = [];
  for (const [bucket, epoch] of claimed) {
    const owner = view.ownerIdOf(bucket);
    if (owner === self) continue;
    const newest = view.epochOf(bucket);
    if (newest < epoch) forgotten.push(bucket);
    else {
      const now = `now it has epoch ${newest}, and ${owner ? `the owner ${owner}` : 'no owner'}`;
      const taken = `bucket ${bucket} (epoch ${epoch}) does not belong to this core any more: ${now}`;
      return { forgotten, taken };
    }
  }
  return { forgotten, taken: undefined };
}
