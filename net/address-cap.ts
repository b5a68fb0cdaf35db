import { plainIP } from './ipv6.ts';
import { isRemote, limitKeyOf } from './network.ts';

/** Caps how many of something, such as connections, each remote address has at a time. Keeps an entry only for addresses that have any. */
export class AddressCap {
  readonly #limit: number;
  readonly #counts: (ip: string) => boolean;
  readonly #taken = new Map<string, number>();
  #refused = 0;

  /** `counts` says whether a plain address is capped; by default all but loopback are. */
  constructor(limit: number, counts: (ip: string) => boolean = isRemote) {
    this.#limit = limit;
    this.#counts = counts;
  }

  /** Addresses that have any. */
  get size(): number {
    return this.#taken.size;
  }

  /** Slots refused so far because the address was at its limit. */
  get refused(): number {
    return this.#refused;
  }

  /** Takes one slot for an address. Returns the function that releases it, to be called once; undefined at the limit. */
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
