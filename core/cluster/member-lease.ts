/**
 * Length of the lease of a member in milliseconds. After this time, other members take the buckets of a killed core. It
 * must be longer than a failover of the engine, which takes about 5 s with `cluster-node-timeout` 3 s, because no member
 * can renew its lease during a failover.
 */
export const LEASE_MS = 8_000;
/** Time between two renewals of a lease, in milliseconds. */
export const RENEW_MS = 500;
/**
 * A core stops this long before the end of its lease, in milliseconds. In this time its last answers are sent before
 * another core can take its buckets.
 */
const MARGIN_MS = 1_000;
/**
 * If no replica has confirmed a renewal of a lease, the core relies on the renewal only for this time, in milliseconds.
 * A master that is cut off from the cluster still accepts renewals for `cluster-node-timeout`, 3 s, but its promoted
 * replica never gets them. The sum of both times must be shorter than LEASE_MS, after which another core can take the
 * buckets from the promoted replica. It must also be longer than two renewals whose WAIT takes a second each.
 */
const UNCONFIRMED_MS = LEASE_MS - MARGIN_MS - 3_500;
/**
 * Unconfirmed renewals of a lease count only if the first of them follows the last confirmed one within this time, in
 * milliseconds. Otherwise the lease that a promoted replica has can end while the core still relies on its renewals, for
 * example if the core stood still before its master was cut off.
 */
const UNBROKEN_MS = MARGIN_MS + 500;

/** The lease of a member as the member itself sees it. All times are in milliseconds of a monotonic clock. */
export class MemberLease {
  /** Time until which the member can rely on its lease. */
  validUntil = 0;
  /** True if replicas have confirmed the last renewal. */
  isConfirmed = false;
  /** Time before the last confirmed renewal was sent; undefined if no renewal has been confirmed. */
  #confirmedAt: number | undefined;
  /** True if the unconfirmed renewals since the last confirmed one count. */
  #countsUnconfirmed = true;

  /** Notes a renewal. `began`: time before the renewal was sent. */
  extend(began: number, isConfirmed: boolean): void {
    // A core whose renewals were never confirmed owns no bucket, so its renewals do no harm.
    if (isConfirmed) this.#confirmedAt = began;
    else if (this.isConfirmed) this.#countsUnconfirmed = began - (this.#confirmedAt ?? began) <= UNBROKEN_MS;
    this.isConfirmed = isConfirmed;
    if (!isConfirmed && !this.#countsUnconfirmed) return;
    // While no replica confirms a write, no other core can take buckets. Therefore the core keeps its buckets and
    // answers fetches.
    const validMs = isConfirmed ? LEASE_MS - MARGIN_MS : UNCONFIRMED_MS;
    this.validUntil = Math.max(this.validUntil, began + validMs);
  }
}
