import { LeaseNumbers } from '../../servers/lease-numbers.ts';

/** Active leases by id. All last equally long, so they expire in the order in which they were given. */
export class Leases {
  readonly #slots = new LeaseNumbers();
  readonly #expiries = new LeaseNumbers();

  get size(): number {
    return this.#slots.size;
  }

  /** The id of the lease that expires first; -1 if there is none. */
  get oldest(): number {
    return this.#slots.oldest;
  }

  /** Ids of active leases, oldest first. */
  ids(): IterableIterator<number> {
    return this.#slots.ids();
  }

  /** The slot of a lease; -1 if there is no such lease, or it has expired by `now`. */
  slotOf(id: number, now: number): number {
    return this.#expiries.get(id) > now ? this.#slots.get(id) : -1;
  }

  add(id: number, slot: number, expiresAt: number): void {
    this.#slots.add(id, slot);
    this.#expiries.add(id, expiresAt);
  }

  /** Ends a lease. Returns its slot, -1 if there is no such lease. */
  end(id: number): number {
    this.#expiries.remove(id);
    return this.#slots.remove(id);
  }

  /** Ends the leases of slots. */
  endLeasesOf(slots: ReadonlySet<number>): void {
    for (const id of [...this.#slots.ids()]) if (slots.has(this.#slots.get(id))) this.end(id);
  }
}
