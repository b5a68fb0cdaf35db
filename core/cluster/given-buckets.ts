import type { BucketStore } from './bucket-store.ts';
import type { Membership } from './membership.ts';

/**
 * Longest time that a core waits until other cores own the buckets (groups of servers) that it gave away, ms. After
 * this time, the core gives away more buckets, even if the first ones have no owner.
 */
const GIVEN_MS = 1_000;
/** Pause after the store could not write to the buckets that a core wanted to give away, ms. */
const REFUSED_MS = 1_000;

/** Decides when a core may give away buckets. Remembers the buckets that it gave away most recently. */
export class GivenBuckets {
  readonly #membership: Pick<Membership, 'view' | 'clock' | 'isEnded'>;
  readonly #store: Pick<BucketStore, 'canWrite'>;
  readonly #warn: (message: string, error: unknown) => void;
  #buckets: readonly number[] = [];
  #until = 0;
  #refusedUntil = 0;
  #isRefused = false;

  constructor(
    membership: Pick<Membership, 'view' | 'clock' | 'isEnded'>,
    store: Pick<BucketStore, 'canWrite'>,
    warn: (message: string, error: unknown) => void,
  ) {
    this.#membership = membership;
    this.#store = store;
    this.#warn = warn;
  }

  /** True if a bucket that this core gave away less than GIVEN_MS ago has no new owner yet. */
  get isAwaited(): boolean {
    const { view, clock } = this.#membership;
    return clock.now() < this.#until && this.#buckets.some(bucket => view.ownerIdOf(bucket) === undefined);
  }

  /**
   * Resolves to true if this core may give these buckets away now, because their newest records can be stored. If they
   * could not be stored, no core would answer for the buckets. Warns at the first refusal.
   */
  async canGive(buckets: readonly number[]): Promise<boolean> {
    const { clock } = this.#membership;
    if (clock.now() < this.#refusedUntil) return false;
    const canWrite = await this.#store.canWrite(buckets);
    if (!canWrite) {
      this.#refusedUntil = clock.now() + REFUSED_MS;
      if (!this.#isRefused)
        this.#warn(
          'store: this core keeps its buckets, because it cannot store their newest records',
          undefined,
        );
    }
    this.#isRefused = !canWrite;
    return canWrite && !this.#membership.isEnded;
  }

  note(buckets: readonly number[]): void {
    this.#buckets = buckets;
    this.#until = this.#membership.clock.now() + GIVEN_MS;
  }
}
