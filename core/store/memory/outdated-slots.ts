import type { BucketSlots } from './bucket-slots.ts';

const FIRST_SLOTS = 1024;
/** Value in `#next` for a server that is in none of the lists of outdated servers (see `OutdatedSlots`). */
const UNLISTED = 0;
/**
 * Marks the end of a linked list of outdated servers. A link is the index of the next server plus 2, because 0 means
 * UNLISTED and 1 means END.
 */
const END = 1;

/**
 * For each bucket (group of servers), a linked list of the servers whose stored record is outdated. The list contains
 * their slots (rows in the server table). All lists together need 4 bytes for each slot of the table.
 */
export class OutdatedSlots {
  readonly #buckets: BucketSlots;
  /**
   * For each bucket: link to the first server in its list of outdated servers. A link is the server's slot (index in
   * the server table) plus 2, or END.
   */
  readonly #first: Uint32Array;
  /**
   * The links of the lists of outdated servers: one link for each slot (row) of the server table. The link is UNLISTED
   * if the server is in no list, and END if it is the last server of its list. Otherwise, the link is the slot of the
   * next server in the list, plus 2.
   */
  #next = new Uint32Array(FIRST_SLOTS);

  constructor(buckets: BucketSlots) {
    this.#buckets = buckets;
    this.#first = new Uint32Array(buckets.count).fill(END);
  }

  /**
   * Adds a server whose stored record is outdated to the list of its bucket. Does nothing if the server is already in
   * the list. `slot`: row of the server in the server table.
   */
  add(slot: number): void {
    if (slot >= this.#next.length) this.#grow(slot);
    if (this.#next[slot] !== UNLISTED) return;
    const bucket = this.#buckets.bucketAt(slot);
    this.#next[slot] = this.#first[bucket] ?? END;
    this.#first[bucket] = slot + 2;
  }

  /**
   * Removes servers from the list of outdated servers of one bucket, and returns at most `limit` of their slots.
   * `slot`: any server of this bucket. The caller must check each returned server, because its stored record may be up
   * to date again.
   */
  takeBucketOf(slot: number, limit: number): number[] {
    const bucket = this.#buckets.bucketAt(slot);
    const taken: number[] = [];
    let link = this.#first[bucket] ?? END;
    while (link !== END && taken.length < limit) {
      const listed = link - 2;
      link = this.#next[listed] ?? END;
      this.#next[listed] = UNLISTED;
      // Skips a slot (row in the server table) whose server was removed, if a server of a different bucket now uses the
      // slot.
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
