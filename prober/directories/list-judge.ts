/** A list may shrink by half in this time without being doubted: servers come and go by day and night. */
const WITHIN_MS = 600_000;

/**
 * Decides whether a list of servers is whole, so that a server's absence means something. An empty list is never
 * believed. One of under half the servers of the last good list, within ten minutes, is believed when the next fetch is
 * of that size again.
 */
export class ListJudge {
  #good: { size: number; at: number } | undefined;
  /** Size of the last list, if it was doubted. */
  #doubted: number | undefined;

  /** What is wrong with a list that was just fetched; undefined where it can be believed. */
  doubt(size: number, now: number): string | undefined {
    if (size === 0) return 'the list is empty';
    const good = this.#good;
    const shrank = good !== undefined && now - good.at < WITHIN_MS && size < good.size / 2;
    const seenAgain = this.#doubted !== undefined && size >= this.#doubted / 2;
    if (shrank && !seenAgain) {
      this.#doubted = size;
      return `the list shrank from ${good.size} servers to ${size}`;
    }
    this.#good = { size, at: now };
    this.#doubted = undefined;
    return undefined;
  }
}
