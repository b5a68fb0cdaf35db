/**
 * Remembers two events, such as answers of servers: the newest event, and the newest event in a different network. One
 * of these two is the newest event outside of any given network.
 */
export class LastNetworks {
  #network = 0;
  #at = Number.NEGATIVE_INFINITY;
  #key = '';
  #otherAt = Number.NEGATIVE_INFINITY;
  #otherKey = '';

  /** Records an event, for example an answer of a server, in a network. `key`: the `serverKey` of the server. */
  note(network: number, key: string, now: number): void {
    if (network !== this.#network) {
      this.#otherAt = this.#at;
      this.#otherKey = this.#key;
      this.#network = network;
    }
    this.#at = now;
    this.#key = key;
  }

  /** Returns the time of the newest event outside `network`, ms. Returns minus infinity if there was no such event. */
  otherAt(network: number): number {
    return network === this.#network ? this.#otherAt : this.#at;
  }

  /**
   * Returns the `serverKey` of the newest event outside `network`. Returns an empty text if there was no such event.
   */
  otherKey(network: number): string {
    return network === this.#network ? this.#otherKey : this.#key;
  }
}
