import type { ClusterView } from './cluster-view.ts';

/** Result of `checkClaims`. */
export interface ClaimCheck {
  /**
   * Buckets (groups of servers) that the owner table does not assign to this core, and that have no newer owner. A
   * failover has lost the newest changes of the table, with which this core acquired these buckets.
   */
  forgotten: number[];
  /** A text about a bucket that has a newer owner. Undefined if there is none. */
  taken: string | undefined;
}

/**
 * Finds the buckets that a core has acquired, but that do not belong to it any more. `claimed`: the acquired buckets,
 * with their epochs (a number that grows with each new owner of a bucket). `self`: id of the core.
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
