/** The last two networks that an event was noted for, so that there is always one other than a given one. */
export class LastNetworks {
  #network = 0;
  #at = Number.NEGATIVE_INFINITY;
  #key = '';
  #otherAt = Number.NEGATIVE_INFINITY;
  #otherKey = '';

  /** Notes an event in a network. `key`: the `serverKey` of its server. */
  note(network: number, key: string, now: number): void {
    if (network !== this.#network) {
      this.#otherAt = this.#at;
      this.#otherKey = this.#key;
      this.#network = network;
    }
    this.#at = now;
    this.#key = key;
  }

  /** When the last event in another network was, ms; minus infinity if there was none. */
  otherAt(network: number): number {
    return network === this.#network ? this.#otherAt : this.#at;
  }

  /** Server of the last event in another network; empty if there was none. */
  otherKey(network: number): string {
    return network === this.#network ? this.#otherKey : this.#key;
  }
}
