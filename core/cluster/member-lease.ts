/**
 * Length of a core's lease in the cluster, ms. When it ends, other cores take the buckets (groups of servers). A
 * shorter lease could end during a failover of the storage engine, which takes about 5 s.
 */
export const LEASE_MS = 7_000;
/** Time between two renewals of a lease, in milliseconds. */
export const RENEW_MS = 500;
/**
 * Safety margin at the end of a core's lease, ms: the core stops serving this long before the lease ends. In this time,
 * its last answers are sent. Other cores take over only after the end of the lease.
 */
const MARGIN_MS = 200;
/**
 * Time after a failover, restart or outage of the storage engine in which no lease ends and no core acquires buckets,
 * ms. Each core needs this time to find the new master and to notice lost changes.
 */
export const GRACE_MS = 3_500;

/*
 * Why UNCONFIRMED_MS is at most GRACE_MS - 1 s. A failover of Redis can lose lease renewals. Other cores can take the
 * buckets of a core GRACE_MS after the new master has taken over. From then on, the core must not rely on a lost
 * renewal. Every lost renewal was sent less than 1 s after the takeover, for two reasons:
 * - The old master accepts renewals for up to 4.5 s after it has lost its connections to the cluster: 1.5 times
 *   `cluster-node-timeout` (3 s).
 * - The new master takes over more than 3.5 s after this loss of connections.
 */

/**
 * Time for which a core relies on a lease renewal that the replicas have not confirmed, ms. A failover can lose such a
 * renewal. Then other cores can acquire the buckets of this core GRACE_MS after the failover, so this core must stop
 * serving earlier.
 */
const UNCONFIRMED_MS = 2_500;

/**
 * Returns how long a core can rely on a renewal of its lease, in milliseconds. This time begins just before the core
 * sends the renewal. `isConfirmed`: true if replicas have confirmed the renewal.
 */
export function validMs(isConfirmed: boolean): number {
  return isConfirmed ? LEASE_MS - MARGIN_MS : UNCONFIRMED_MS;
}
