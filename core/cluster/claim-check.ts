import type { ClusterView } from './cluster-view.ts';

/** Result of `checkClaims`. */
export interface ClaimCheck {
  /**
   * Buckets (groups of servers) that this core has acquired, although the owner table contains only older owners of
   * them: a failover has lost the newest changes of the table.
   */
  forgotten: number[];
  /**
   * A text for people about a bucket (group of servers) that does not belong to this core any more. Undefined if there
   * is no such bucket.
   */
  taken: string | undefined;
}

/**
 * Finds the buckets (groups of servers) that a core has acquired, but that do not belong to it any more. `claimed`: the
 * acquired buckets with their epochs (a number that grows with each new owner of a bucket). `self`: id of the core.
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
