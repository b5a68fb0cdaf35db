/**
 * Pause between two owners of a public server list, ms. The list still counts the requests of the previous owner in its
 * rate limit. The new owner does not know how many there were.
 */
const QUIET_MS = 63_000;

/**
 * Makes sure that only one prober session at a time sends requests to a public server list of a game. The rate limit of
 * its prober thus applies to all requests. After a change of the session, there are no requests for `QUIET_MS`. Times
 * are in ms.
 */
export class DirectoryOwners<Session> {
  /**
   * Start time of the core, ms. Probers may have sent requests to the server lists just before, for an earlier run of
   * the core.
   */
  readonly #startedAt: number;
  /** The prober session that owns each public server list, keyed by list. */
  readonly #owners = new Map<string, Session>();
  /**
   * Time at which each public server list lost its owner (the only prober session that sends requests to the list).
   * Keyed by list. Unix ms.
   */
  readonly #endedAt = new Map<string, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /**
   * Tries to make a prober session the owner of a public server list. Returns how long the session must wait before it
   * can send requests to the list, ms; 0 if it is the owner now.
   */
  claim(session: Session, directory: string, now: number): number {
    const owner = this.#owners.get(directory);
    if (owner === session) return 0;
    if (owner !== undefined) this.#release(directory, now);
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // The pause begins when the list loses its session, or when the core starts. If the clock was set back, `passed` is
    // negative. The session then need not wait, because the wait could be very long.
    if (passed >= 0 && passed < QUIET_MS) return QUIET_MS - passed;
    this.#owners.set(directory, session);
    this.#endedAt.delete(directory);
    return 0;
  }

  /**
   * Releases the public server lists that a prober session owned. Call this method when the session has ended. If only
   * the stream broke, do not call it, because the prober can resume the session.
   */
  end(session: Session, now: number): void {
    for (const [directory, owner] of this.#owners) {
      if (owner === session) this.#release(directory, now);
    }
  }

  #release(directory: string, now: number): void {
    this.#owners.delete(directory);
    this.#endedAt.set(directory, now);
  }
}
