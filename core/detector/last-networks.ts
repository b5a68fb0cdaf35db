/**
 * Finds the newest event (for example an answer) of any server that is not in a given network. Stores only two events:
 * the newest of all, and the newest that comes from a different network.
 */
export class LastNetworks {
  #network = 0;
  #at = Number.NEGATIVE_INFINITY;
  #key = '';
  #otherAt = Number.NEGATIVE_INFINITY;
  #otherKey = '';

  /**
   * Records an event of a server, for example an answer. `network`: network of the server. `key`: its `serverKey`.
   * `now`: time of the event, ms.
   */
  note(network: number, key: string, now: number): void {
    if (network !== this.#network) {
      this.#otherAt = this.#at;
      this.#otherKey = this.#key;
      this.#network = network;
    }
    this.#at = now;
    this.#key = key;
  }

  /**
   * Returns the time (ms) of the newest event (such as an answer) of any server outside of `network`. Returns minus
   * infinity if there was no such event.
   */
  otherAt(network: number): number {
    return network === this.#network ? this.#otherAt : this.#at;
  }

  /**
   * Returns the `serverKey` of the server with the newest event (such as an answer), of all servers that are not in
   * `network`. Returns '' if there was no event.
   */
  otherKey(network: number): string {
    return network === this.#network ? this.#otherKey : this.#key;
  }
}
