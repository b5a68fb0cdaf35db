import { plainIP } from './ipv6.ts';
import { isRemote, limitKeyOf } from './network.ts';

/**
 * Limits the number of slots that each remote address uses at the same time. A slot stands for one thing that is
 * counted, such as one open connection of the address.
 */
export class AddressCap {
  readonly #limit: number;
  readonly #counts: (ip: string) => boolean;
  readonly #taken = new Map<string, number>();
  #refused = 0;

  /**
   * `counts`: returns true if the limit applies to an IP address. By default the limit applies to all addresses except
   * loopback addresses.
   */
  constructor(limit: number, counts: (ip: string) => boolean = isRemote) {
    this.#limit = limit;
    this.#counts = counts;
  }

  /** Number of remote addresses that currently use at least one slot, for example for an open connection. */
  get size(): number {
    return this.#taken.size;
  }

  /** Number of times that `takeSlot` refused a slot, because the address already had the maximum number of slots. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Takes one slot for `address`, for example for a new connection. Returns a function that releases the slot; call it
   * exactly once. Returns undefined if the address already has the maximum number of slots.
   */
  takeSlot(address: string): (() => void) | undefined {
    if (!this.#counts(plainIP(address))) return () => {};
    const key = limitKeyOf(address);
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#limit) {
      this.#refused++;
      return undefined;
    }
    this.#taken.set(key, taken + 1);
    return () => this.#releaseSlot(key);
  }

  #releaseSlot(key: string): void {
    const left = (this.#taken.get(key) ?? 0) - 1;
    if (left > 0) this.#taken.set(key, left);
    else this.#taken.delete(key);
  }
}
