/** A server that is being probed. Its record stays in the table: thousands that wait for replies would grow old. */
export interface Outstanding {
  readonly slot: number;
  readonly expiresAt: number;
}

/**
 * The leases that are held, by id and by slot. The maps hold numbers alone: where thousands a second come and go, V8 leaves
 * a trail of a map's outgrown tables, and what they held would be kept from being collected young.
 */
export class Leases {
  /** Where each lies in `#held`, by id. In order of expiry, since every lease holds equally long. */
  readonly #places = new Map<number, number>();
  /** Ids by slot: at most one probe of a server is under way. */
  readonly #ids = new Map<number, number>();
  readonly #held: (Outstanding | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#places.size;
  }

  get(id: number): Outstanding | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#held[place];
  }

  /** The id of the lease of a slot. */
  idOf(slot: number): number | undefined {
    return this.#ids.get(slot);
  }

  /** Those that are held, oldest first. */
  ids(): IterableIterator<number> {
    return this.#places.keys();
  }

  add(id: number, lease: Outstanding): void {
    const place = this.#free.pop() ?? this.#held.length;
    this.#held[place] = lease;
    this.#places.set(id, place);
    this.#ids.set(lease.slot, id);
  }

  /** Ends a lease; what it was of, where it was held. */
  end(id: number): Outstanding | undefined {
    const place = this.#places.get(id);
    if (place === undefined) return undefined;
    const lease = this.#held[place];
    this.#held[place] = undefined;
    this.#free.push(place);
    this.#places.delete(id);
    if (lease) this.#ids.delete(lease.slot);
    return lease;
  }
}
