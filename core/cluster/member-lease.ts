/**
 * Length of a core's lease in the cluster, ms. When it ends, other cores take the buckets (groups of servers). A
 * shorter lease could end during a failover of the storage engine, which takes about 5 s.
 */
export const LEASE_MS = 7_000;
/** Time between two renewals of a lease, in milliseconds. */
export const RENEW_MS = 500;
/**
 * A core stops serving MARGIN_MS before the end of its lease, ms. In this time, it sends its last answers. Other cores
 * take over after the end of the lease.
 */
const MARGIN_MS = 200;
/**
 * Time after a failover or restart of the storage engine in which no lease ends and no core acquires buckets (groups of
 * servers), ms. Each core needs this time to find the new master and to notice lost changes.
 */
export const GRACE_MS = 3_500;

/*
 * Why UNCONFIRMED_MS is at most GRACE_MS - 1 s. A Redis master that loses its connections to the cluster still accepts
 * lease renewals for up to 4.5 s (1.5 times `cluster-node-timeout`, 3 s). These renewals are lost. A new master takes
 * over more than 3.5 s after the loss of the connections, so a lost renewal begins less than 1 s after this takeover.
 * Other cores can take the buckets GRACE_MS after the takeover.
 */

/**
 * Time for which a core relies on a lease renewal that the replicas have not confirmed, ms. A failover can lose such a
 * renewal. Other cores can then acquire the buckets of this core GRACE_MS after the failover. The core must stop before
 * that time.
 */
const UNCONFIRMED_MS = 2_500;

/**
 * Returns how long a core can rely on a renewal of its lease, in milliseconds. This time begins just before the core
 * sends the renewal. `isConfirmed`: true if replicas have confirmed the renewal.
 */
export function validMs(isConfirmed: boolean): number {
  return isConfirmed ? LEASE_MS - MARGIN_MS : UNCONFIRMED_MS;
}
