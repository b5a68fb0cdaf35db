/**
 * Loads answers to queries, one at a time. A new load aborts the load before it, so that an older answer never replaces
 * a newer one.
 */
export class LatestLoad<Query, Answer> {
  readonly #load: (query: Query, signal: AbortSignal) => Promise<Answer>;
  #running: AbortController | undefined;

  constructor(load: (query: Query, signal: AbortSignal) => Promise<Answer>) {
    this.#load = load;
  }

  /** Loads the answer to a query. Resolves to undefined if a newer load has begun. Rejects if the load fails. */
  async start(query: Query): Promise<Answer | undefined> {
    this.#running?.abort();
    const mine = new AbortController();
    this.#running = mine;
    try {
      const answer = await this.#load(query, mine.signal);
      return mine.signal.aborted ? undefined : answer;
    } catch (error) {
      if (mine.signal.aborted) return undefined;
      throw error;
    }
  }
}
