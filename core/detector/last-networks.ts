/**
 * Remembers the last event (an answer or a missing answer) of the two networks with the newest events. With two
 * networks, the last event outside any given network is always known.
 */
export class LastNetworks {
  #network = 0;
  #at = Number.NEGATIVE_INFINITY;
  #key = '';
  #otherAt = Number.NEGATIVE_INFINITY;
  #otherKey = '';

  /** Records an event in a network at the time `now`. `key`: the `serverKey` of the server concerned. */
  note(network: number, key: string, now: number): void {
    if (network !== this.#network) {
      this.#otherAt = this.#at;
      this.#otherKey = this.#key;
      this.#network = network;
    }
    this.#at = now;
    this.#key = key;
  }

  /** Returns the time of the last event outside `network`, ms; minus infinity if there was none. */
  otherAt(network: number): number {
    return network === this.#network ? this.#otherAt : this.#at;
  }

  /** Returns the key of the server with the last event outside `network`; empty if there was none. */
  otherKey(network: number): string {
    return network === this.#network ? this.#otherKey : this.#key;
  }
}
