import type { SharedBuckets } from '../bucket-reader.ts';

const FIRST_SLOTS = 1024;

/**
 * State of a bucket in the memory of a core. `absent`: the core does not own the bucket, or has written everything and
 * unloads it. `loading`: its servers are being loaded. `loaded`: all its servers are loaded. `leaving`: its servers are
 * loaded, but they are no longer changed, because another core takes the bucket over.
 */
export type BucketState = 'absent' | 'loading' | 'loaded' | 'leaving';

/**
 * The buckets of which this core has the servers in memory, and the bucket of each server. A server is identified by its
 * slot, the index in the server table. Needs 2 bytes for each slot.
 */
export class BucketSlots {
  readonly #bucketOf: (serverKey: string) => number;
  readonly #states: BucketState[];
  /** Bucket of each server, indexed by slot. Elements of free slots are meaningless. */
  #buckets = new Uint16Array(FIRST_SLOTS);

  constructor({ bucketOf, count }: SharedBuckets) {
    this.#bucketOf = bucketOf;
    this.#states = new Array<BucketState>(count).fill('absent');
  }

  setState(buckets: readonly number[], state: BucketState): void {
    for (const bucket of buckets) this.#states[bucket] = state;
  }

  /** Notes the bucket of the server that gets this `slot`. */
  addSlot(slot: number, serverKey: string): void {
    if (slot >= this.#buckets.length) this.#grow(slot);
    this.#buckets[slot] = this.#bucketOf(serverKey);
  }

  /** Returns the state of the bucket of a server, which is perhaps not tracked. */
  stateOf(serverKey: string): BucketState {
    return this.#states[this.#bucketOf(serverKey)] ?? 'absent';
  }

  /** Returns the state of the bucket of the server with this `slot`. */
  stateAt(slot: number): BucketState {
    return this.#states[this.#buckets[slot] ?? 0] ?? 'absent';
  }

  /** Returns the bucket of the server with this `slot`. */
  bucketAt(slot: number): number {
    return this.#buckets[slot] ?? 0;
  }

  /** Returns the buckets whose servers are all in memory: those that are loaded, and those that leave. */
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
