/**
 * A list that shrank is accepted once it has stayed small for this long, ms; servers announce themselves
 * every few minutes.
 */
const DOUBT_MS = 600_000;

/**
 * Decides whether a list is complete, so that the absence of a server means something. An empty list is never
 * accepted. A list with under half the servers of the last good one is doubted for ten minutes, because a
 * restarted directory fills up again.
 */
export class ShrinkGuard {
  /** Number of servers in the last accepted list. */
  #good = 0;
  /** The list that started the doubt: its number of servers, and when it was fetched. */
  #doubted: { size: number; at: number } | undefined;

  /** Returns the reason to doubt a list just fetched; undefined if it is accepted. */
  doubt(size: number, now: number): string | undefined {
    if (size === 0) return 'the list is empty';
    if (size < this.#good / 2) {
      // A list that shrinks further starts a new doubt.
      if (!this.#doubted || size < this.#doubted.size / 2) this.#doubted = { size, at: now };
      if (now - this.#doubted.at < DOUBT_MS) return `the list shrank from ${this.#good} servers to ${size}`;
    }
    this.#good = size;
    this.#doubted = undefined;
    return undefined;
  }
}
