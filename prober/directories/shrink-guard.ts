/**
 * Time after which a server list is accepted although it is much shorter than the last accepted list, ms. Running game
 * servers register with the list service every few minutes. So servers that are still missing after this time have
 * really stopped.
 */
const DOUBT_MS = 600_000;

/**
 * Detects server lists that are perhaps incomplete: a restarted list service knows few servers. An empty list is never
 * accepted. A list that lost more than half of its servers is accepted after ten minutes.
 */
export class ShrinkGuard {
  /** Number of servers in the last server list that was accepted. */
  #good = 0;
  /** Size and fetch time of a server list that was rejected as too short. Undefined if the last list was accepted. */
  #doubted: { size: number; at: number } | undefined;

  /**
   * Returns the reason why a server list that was fetched at `now` is perhaps incomplete. Returns undefined if the list
   * is accepted.
   */
  doubt(size: number, now: number): string | undefined {
    if (size === 0) return 'the list is empty';
    if (size < this.#good / 2) {
      // A list that is too short is rejected for ten minutes, and accepted after that. If a later list is less than
      // half as long as the rejected list, the ten minutes begin again.
      if (!this.#doubted || size < this.#doubted.size / 2) this.#doubted = { size, at: now };
      if (now - this.#doubted.at < DOUBT_MS) return `the list shrank from ${this.#good} servers to ${size}`;
    }
    this.#good = size;
    this.#doubted = undefined;
    return undefined;
  }
}
