import type { BucketSlots } from './bucket-slots.ts';

const FIRST_SLOTS = 1024;
/** Value in `#next` for a server that is in none of the lists of outdated servers (see `OutdatedSlots`). */
const UNLISTED = 0;
/**
 * Marks the end of a list of outdated servers. A list contains each server as its slot plus 2, because 0 (UNLISTED) and
 * 1 (END) have other meanings.
 */
const END = 1;

/**
 * For each bucket, a linked list of its outdated servers: those whose stored record is older than their record in
 * memory. A list identifies a server by its slot, the index in the server table. The lists need 4 bytes for each slot.
 */
export class OutdatedSlots {
  readonly #buckets: BucketSlots;
  /**
   * For each bucket (group of servers), the first server of its linked list of outdated servers. The stored record of
   * an outdated server is older than its record in memory.
   *
   * The array index is the number of the bucket. The value is the slot of the server (its index in the server table)
   * plus 2, or END if the list is empty.
   */
  readonly #first: Uint32Array;
  /**
   * Links each outdated server to the next server in the same linked list. The array index is the slot of a server (its
   * index in the server table). The value is the slot of the next server plus 2. For the last server of a list, the
   * value is END. For a server in no list, the value is UNLISTED.
   */
  #next = new Uint32Array(FIRST_SLOTS);

  constructor(buckets: BucketSlots) {
    this.#buckets = buckets;
    this.#first = new Uint32Array(buckets.count).fill(END);
  }

  /**
   * Adds a server to the list of its bucket (group of servers), because its stored record is older than its record in
   * memory. Does nothing if the list already contains the server. `slot`: index of the server in the server table.
   */
  add(slot: number): void {
    if (slot >= this.#next.length) this.#grow(slot);
    if (this.#next[slot] !== UNLISTED) return;
    const bucket = this.#buckets.bucketAt(slot);
    this.#next[slot] = this.#first[bucket] ?? END;
    this.#first[bucket] = slot + 2;
  }

  /**
   * Removes at most `limit` servers from the list of outdated servers of a bucket, and returns their slots (indexes in
   * the server table). The bucket is the one to which the server in `slot` belongs. The record of a returned server may
   * already be stored.
   */
  takeBucketOf(slot: number, limit: number): number[] {
    const bucket = this.#buckets.bucketAt(slot);
    const taken: number[] = [];
    let link = this.#first[bucket] ?? END;
    while (link !== END && taken.length < limit) {
      const listed = link - 2;
      link = this.#next[listed] ?? END;
      this.#next[listed] = UNLISTED;
      // A server in the list may have been removed from the store. Its slot can then belong to a server of another
      // bucket, so this slot is not returned.
      if (this.#buckets.bucketAt(listed) === bucket) taken.push(listed);
    }
    this.#first[bucket] = link;
    return taken;
  }

  #grow(slot: number): void {
    const next = this.#next;
    this.#next = new Uint32Array(Math.max(slot + 1, next.length * 2));
    this.#next.set(next);
  }
}
