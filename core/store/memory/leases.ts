import { LeaseNumbers } from '../../servers/lease-numbers.ts';

/** The leases that are held, by id. */
export class Leases {
  readonly #slots = new LeaseNumbers();
  readonly #expiries = new LeaseNumbers();

  get size(): number {
    return this.#slots.size;
  }

  /** The id of the lease that runs out first, since every lease holds equally long; -1 where none is held. */
  get oldest(): number {
    return this.#slots.oldest;
  }

  /** Those that are held, oldest first. */
  ids(): IterableIterator<number> {
    return this.#slots.ids();
  }

  /** The slot of the server that is being probed under a lease; -1 where none is, or the lease has run out by `now`. */
  slotOf(id: number, now: number): number {
    return this.#expiries.get(id) > now ? this.#slots.get(id) : -1;
  }

  add(id: number, slot: number, expiresAt: number): void {
    this.#slots.add(id, slot);
    this.#expiries.add(id, expiresAt);
  }

  /** Ends a lease; the slot it was of, -1 where it was not held. */
  end(id: number): number {
    this.#expiries.remove(id);
    return this.#slots.remove(id);
  }

  /** Ends the leases of slots. */
  endThose(slots: ReadonlySet<number>): void {
    for (const id of [...this.#slots.ids()]) if (slots.has(this.#slots.get(id))) this.end(id);
  }
}
