/** Upper bound of lease ids; ids start again at 0 after days. V8 stores smaller integers without a heap object. */
export const LEASE_IDS = 2 ** 30;
const LAST_ID = LEASE_IDS - 1;
const NONE = -1;

/**
 * A map from lease ids to numbers, 0 or more, as a ring buffer. Ids are given in order and leases end soon, so the ring spans
 * the ids from the oldest stored lease to the newest. Adding and removing takes 0.05 to 0.1 µs; a Map takes 0.23.
 */
export class LeaseNumbers {
  /** Numbers by id modulo the length, a power of two; NONE if the id is not stored. */
  #ring = new Float64Array(64).fill(NONE);
  /** The oldest stored id; not valid if none is stored. */
  #oldest = 0;
  /** Number of ids from the oldest to the newest stored one. */
  #span = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The stored id that was added first; -1 if none is stored. */
  get oldest(): number {
    return this.#size > 0 ? this.#oldest : NONE;
  }

  /** The stored ids, oldest first. Do not change the map during the iteration. */
  *ids(): Generator<number> {
    for (let i = 0; i < this.#span; i++) {
      const id = (this.#oldest + i) & LAST_ID;
      if (this.get(id) !== NONE) yield id;
    }
  }

  /** The number of a lease; -1 if its id is not stored. */
  get(id: number): number {
    // Probers may report any number as an id.
    if ((id & LAST_ID) !== id || ((id - this.#oldest) & LAST_ID) >= this.#span) return NONE;
    return this.#ring[id & (this.#ring.length - 1)] ?? NONE;
  }

  /** Stores the number of a lease, which must be newer than all stored ones. */
  add(id: number, number: number): void {
    if (this.#size === 0) this.#oldest = id;
    this.#span = ((id - this.#oldest) & LAST_ID) + 1;
    while (this.#span > this.#ring.length) this.#grow();
    this.#ring[id & (this.#ring.length - 1)] = number;
    this.#size++;
  }

  /** Removes a lease. Returns its number, or -1 if its id was not stored. */
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
