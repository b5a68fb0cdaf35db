/**
 * Length of the lease with which a core is a member of the cluster, in milliseconds. After this time, other cores take
 * the buckets (groups of servers) of a killed core. No core can renew its lease during a failover of the storage engine
 * (about 5 s with `cluster-node-timeout` 3 s). A shorter lease would therefore make all cores pause in each failover.
 */
export const LEASE_MS = 7_000;
/** Time between two renewals of a lease, in milliseconds. */
export const RENEW_MS = 500;
/**
 * A core stops serving this long before the end of its lease, in milliseconds. The core can still send its last answers
 * in this time, before another core takes its buckets (groups of servers). A longer margin would make cores pause in
 * more failovers.
 */
const MARGIN_MS = 200;
/**
 * Time after a failover or a restart of the storage engine in which no lease ends and no core acquires buckets (groups
 * of servers), in milliseconds. No core could renew its lease meanwhile, so each core needs time to find the new
 * master. The new master perhaps does not have the newest changes of the owners. Each core notices lost changes when it
 * renews its lease.
 */
export const GRACE_MS = 3_500;
/**
 * Time for which a core relies on a renewal of its lease that no replica has confirmed, in milliseconds. A failover of
 * the storage engine can lose such a renewal. The core must stop relying on it before another core acquires its buckets
 * (groups of servers). Therefore the time is at most GRACE_MS - 1 s:
 *
 * - A master that is cut off from the cluster accepts renewals for up to 4.5 s after the cut. (This is 1.5 times
 *   `cluster-node-timeout`, which is 3 s.) The new master never gets these renewals.
 * - The new master takes over more than 3.5 s after the cut. Therefore the last lost renewal comes less than 1 s after
 *   the takeover.
 * - No core acquires buckets in the first GRACE_MS after the takeover.
 */
const UNCONFIRMED_MS = 2_500;

/**
 * Returns how long a core can rely on a renewal of its lease, in milliseconds. This time begins just before the core
 * sends the renewal. `isConfirmed`: true if replicas have confirmed the renewal.
 */
export function validMs(isConfirmed: boolean): number {
  return isConfirmed ? LEASE_MS - MARGIN_MS : UNCONFIRMED_MS;
}
