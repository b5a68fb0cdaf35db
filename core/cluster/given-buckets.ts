import type { Membership } from './membership.ts';

/** A core waits at most this time for new owners of the buckets that it gave away, ms. Then it gives away more. */
const GIVEN_MS = 1_000;

/** The buckets (groups of servers) that a core gave away last, until they have new owners. */
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
