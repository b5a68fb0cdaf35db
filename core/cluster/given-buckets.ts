import type { Membership } from './membership.ts';

/**
 * Longest time that a core waits until other cores own the buckets (groups of servers) that it gave away, ms. After
 * this time, the core gives away more buckets, even if the first ones have no owner.
 */
const GIVEN_MS = 1_000;

/** Remembers the buckets that a core gave away most recently, until other cores own them. */
export class GivenBuckets {
  readonly #membership: Pick<Membership, 'view' | 'clock'>;
  #buckets: readonly number[] = [];
  #until = 0;

  constructor(membership: Pick<Membership, 'view' | 'clock'>) {
    this.#membership = membership;
  }

  /** True if a bucket that this core gave away less than GIVEN_MS ago has no new owner yet. */
  get isAwaited(): boolean {
    const { view, clock } = this.#membership;
    return clock.now() < this.#until && this.#buckets.some(bucket => view.ownerIdOf(bucket) === undefined);
  }

  note(buckets: readonly number[]): void {
    this.#buckets = buckets;
    this.#until = this.#membership.clock.now() + GIVEN_MS;
  }
}
