import { LeaseNumbers } from '../../servers/lease-numbers.ts';

/**
 * Active leases (orders to probe a server), keyed by lease id. All leases have the same duration, so they expire in
 * the order in which they were added.
 */
export class Leases {
  readonly #slots = new LeaseNumbers();
  readonly #expiries = new LeaseNumbers();

  get size(): number {
    return this.#slots.size;
  }

  /** Id of the server lease that expires first; -1 if there are no leases. */
  get oldest(): number {
    return this.#slots.oldest;
  }

  /** Returns the ids of all leases that were not ended, the oldest first. Expired leases are included. */
  ids(): IterableIterator<number> {
    return this.#slots.ids();
  }

  /**
   * Returns the slot (index) of the server whose lease has this `id`. Returns -1 if the lease does not exist or has
   * expired at the time `now`.
   */
  slotOf(id: number, now: number): number {
    return this.#expiries.get(id) > now ? this.#slots.get(id) : -1;
  }

  addLease(id: number, slot: number, expiresAt: number): void {
    this.#slots.addLease(id, slot);
    this.#expiries.addLease(id, expiresAt);
  }

  /** Ends the lease with this id. Returns the slot (index) of the leased server, or -1 if the lease does not exist. */
  end(id: number): number {
    this.#expiries.remove(id);
    return this.#slots.remove(id);
  }

  /**
   * Ends the leases of the servers with these indexes (`slots`). Returns the time at which each of these leases would
   * have expired, keyed by slot.
   */
  endLeasesOf(slots: ReadonlySet<number>): Map<number, number> {
    const expiries = new Map<number, number>();
    for (const id of [...this.#slots.ids()]) {
      const slot = this.#slots.get(id);
      if (!slots.has(slot)) continue;
      expiries.set(slot, this.#expiries.get(id));
      this.end(id);
    }
    return expiries;
  }
}
