/**
 * Pause between two owners of a public server list, ms. When the session of an owner ends, no session can own the list
 * during the pause. The requests of the previous owner still count against the rate limit of the list, and a new owner
 * does not know how many requests there were.
 */
const QUIET_MS = 63_000;

/**
 * Makes sure that only one prober session at a time sends requests to a public server list (a web service that lists
 * the servers of a game). Therefore the rate limit in the prober of this session applies to all requests to the list.
 *
 * If the session that owns a list changes, no session may send requests to the list for `QUIET_MS`. The same pause
 * applies after the start of the core, because probers may have sent requests to the list just before, for an earlier
 * run of the core.
 *
 * Times are in ms.
 */
export class DirectoryOwners<Session> {
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
   * can be the owner and send requests to the list, ms; 0 if it is the owner now.
   */
  claim(session: Session, directory: string, now: number): number {
    const owner = this.#owners.get(directory);
    if (owner === session) return 0;
    if (owner !== undefined) this.#release(directory, now);
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // A new prober session may send requests to a public server list only after a pause of QUIET_MS. `passed` is the
    // time since the list lost its previous session, or since the core started, ms. If the clock was set back, `passed`
    // is negative. The session then need not wait, because the wait could take very long.
    if (passed >= 0 && passed < QUIET_MS) return QUIET_MS - passed;
    this.#owners.set(directory, session);
    this.#endedAt.delete(directory);
    return 0;
  }

  /**
   * Releases the public server lists that a prober session owned, so that other sessions can own them. Call this method
   * when the session has ended. Do not call it when only the stream broke, because the prober can resume the session.
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
