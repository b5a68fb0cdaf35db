/**
 * Number of different lease ids. A lease is an order to probe a server. After some days, all ids have been used, and
 * the next id is 0 again. V8 stores integers in this range without a heap object.
 */
export const LEASE_IDS = 2 ** 30;
const LAST_ID = LEASE_IDS - 1;
const NONE = -1;

/**
 * Map from the ids of leases to numbers, in a ring buffer. The buffer stays short, because lease ids increase and
 * leases end soon. To add and remove a lease id takes 0.05 to 0.1 µs; JavaScript's class Map needs 0.23 µs.
 */
export class LeaseNumbers {
  /**
   * Ring buffer with the number of each lease id at the index `lease id modulo length`, or NONE. The length is a power
   * of two.
   */
  #ring = new Float64Array(64).fill(NONE);
  /** The oldest lease id in this map. Meaningless if the map is empty. */
  #oldest = 0;
  /** Length of the range from the oldest to the newest lease id in the map. Removed ids in this range count too. */
  #span = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The oldest lease id in this map; -1 if the map is empty. */
  get oldest(): number {
    return this.#size > 0 ? this.#oldest : NONE;
  }

  /** Yields the lease ids in this map, oldest first. The map must not be changed during the iteration. */
  *ids(): Generator<number> {
    for (let i = 0; i < this.#span; i++) {
      const id = (this.#oldest + i) & LAST_ID;
      if (this.get(id) !== NONE) yield id;
    }
  }

  /** Returns the number that this map contains for a lease id, or -1 if the map does not contain the id. */
  get(id: number): number {
    // Ids out of range are not in the map. They occur, because a prober can report any number as a lease id.
    if ((id & LAST_ID) !== id || ((id - this.#oldest) & LAST_ID) >= this.#span) return NONE;
    return this.#ring[id & (this.#ring.length - 1)] ?? NONE;
  }

  /**
   * Stores a number for a lease id. Lease ids are given in increasing order, so `id` must come after all ids in the
   * map.
   */
  addLease(id: number, number: number): void {
    if (this.#size === 0) this.#oldest = id;
    this.#span = ((id - this.#oldest) & LAST_ID) + 1;
    while (this.#span > this.#ring.length) this.#grow();
    this.#ring[id & (this.#ring.length - 1)] = number;
    this.#size++;
  }

  /** Removes a lease id from this map, and returns its number. Returns -1 if the map did not contain the id. */
  remove(id: number): number {
    const number = this.get(id);
    if (number === NONE) return NONE;
    const last = this.#ring.length - 1;
    this.#ring[id & last] = NONE;
    this.#size--;
    while (this.#span > 0 && this.#ring[this.#oldest & last] === NONE) {
      this.#oldest = (this.#oldest + 1) & LAST_ID;
      this.#span--;
    }
    return number;
  }

  #grow(): void {
    const { length } = this.#ring;
    const ring = new Float64Array(2 * length).fill(NONE);
    for (let i = 0; i < length; i++) {
      const id = this.#oldest + i;
      ring[id & (2 * length - 1)] = this.#ring[id & (length - 1)] ?? NONE;
    }
    this.#ring = ring;
  }
}
