/**
 * Time after which a list that shrank is accepted, ms. Game servers announce themselves to a directory every few
 * minutes. If the list stays small for this time, the missing servers are really gone.
 */
const DOUBT_MS = 600_000;

/**
 * Decides whether a server list is complete. Only in a complete list does the absence of a server mean that the server
 * is not listed. An empty list is never accepted. A list with less than half the servers of the last accepted list is
 * doubted for ten minutes, because a directory starts with a short list after a restart.
 */
export class ShrinkGuard {
  /** Number of servers in the last accepted list. */
  #good = 0;
  /** Size and fetch time of the list that started the ten minutes of doubt; undefined if the last list was accepted. */
  #doubted: { size: number; at: number } | undefined;

  /** Returns the reason to doubt a list that was fetched at `now`. Returns undefined if the list is accepted. */
  doubt(size: number, now: number): string | undefined {
    if (size === 0) return 'the list is empty';
    if (size < this.#good / 2) {
      // Starts the ten minutes again if the list has shrunk to less than half of the list that started them.
      if (!this.#doubted || size < this.#doubted.size / 2) this.#doubted = { size, at: now };
      if (now - this.#doubted.at < DOUBT_MS) return `the list shrank from ${this.#good} servers to ${size}`;
    }
    this.#good = size;
    this.#doubted = undefined;
    return undefined;
  }
}
