import type { SharedBuckets } from '../bucket-reader.ts';

const FIRST_SLOTS = 1024;

/**
 * State of a bucket (group of servers) in memory. `loading`: servers are being loaded. `loaded`: all are loaded.
 * `leaving`: all are loaded and do not change, because another core takes over. `absent`: not owned, or being removed
 * from memory.
 */
export type BucketState = 'absent' | 'loading' | 'loaded' | 'leaving';

/**
 * The state of each bucket in this core, and the bucket of each server. A server is given by its slot: its row in the
 * server table. Needs 2 bytes for each slot.
 */
export class BucketSlots {
  readonly #bucketOf: (serverKey: string) => number;
  readonly #states: BucketState[];
  /**
   * Bucket of each server, indexed by the server's slot in the server table. Elements of free slots are meaningless.
   */
  #buckets = new Uint16Array(FIRST_SLOTS);

  constructor({ bucketOf, count }: SharedBuckets) {
    this.#bucketOf = bucketOf;
    this.#states = new Array<BucketState>(count).fill('absent');
  }

  /** Number of all buckets of the store, whichever core owns them. */
  get count(): number {
    return this.#states.length;
  }

  setState(buckets: readonly number[], state: BucketState): void {
    for (const bucket of buckets) this.#states[bucket] = state;
  }

  /** Records the bucket of a new server. `slot`: index of this server in the server table. */
  addSlot(slot: number, serverKey: string): void {
    if (slot >= this.#buckets.length) this.#grow(slot);
    this.#buckets[slot] = this.#bucketOf(serverKey);
  }

  /** Returns the state of the bucket to which a server belongs, even if no core tracks this server. */
  stateOf(serverKey: string): BucketState {
    return this.#states[this.#bucketOf(serverKey)] ?? 'absent';
  }

  /** Returns the state of the bucket to which the server with this `slot` in the server table belongs. */
  stateAt(slot: number): BucketState {
    return this.#states[this.#buckets[slot] ?? 0] ?? 'absent';
  }

  /** Returns the bucket to which the server with this `slot` in the server table belongs. */
  bucketAt(slot: number): number {
    return this.#buckets[slot] ?? 0;
  }

  /** Returns the buckets that are completely in memory: those in the states `loaded` and `leaving`. */
  complete(): number[] {
    return [...this.#states.keys()].filter(bucket => {
      const state = this.#states[bucket];
      return state === 'loaded' || state === 'leaving';
    });
  }

  #grow(slot: number): void {
    const buckets = this.#buckets;
    this.#buckets = new Uint16Array(Math.max(slot + 1, buckets.length * 2));
    this.#buckets.set(buckets);
  }
}
