/** A list that shrank is believed when it has stayed small for so long; servers announce themselves every few minutes. */
const DOUBT_MS = 600_000;

/**
 * Decides whether a list of servers is whole, so that a server's absence means something. An empty list is never
 * believed. One of under half the servers of the last good list is doubted for ten minutes, since a directory that
 * restarts, whenever that is, fills up again meanwhile.
 */
export class ListJudge {
  /** Servers of the last list that was believed. */
  #good = 0;
  /** The list that began the doubt: its servers, and when it was fetched. */
  #doubted: { size: number; at: number } | undefined;

  /** What is wrong with a list that was just fetched; undefined where it can be believed. */
  doubt(size: number, now: number): string | undefined {
    if (size === 0) return 'the list is empty';
    if (size < this.#good / 2) {
      // A list that shrinks on is another doubt.
      if (!this.#doubted || size < this.#doubted.size / 2) this.#doubted = { size, at: now };
      if (now - this.#doubted.at < DOUBT_MS) return `the list shrank from ${this.#good} servers to ${size}`;
    }
    this.#good = size;
    this.#doubted = undefined;
    return undefined;
  }
}
