/**
 * When a prober session stops using a public server list, another session must wait this time before it uses the list,
 * ms. Until then, the rate limit of the list can still count requests of the previous session.
 */
const QUIET_MS = 63_000;

/**
 * Lets only one prober session at a time use a public server list of a game. Several sessions could together exceed the
 * rate limit of the list. After one session has stopped, the next session must wait for `QUIET_MS`. Times are in ms.
 */
export class DirectoryOwners<Session> {
  /**
   * Start time of the core, Unix ms. Shortly before this time, probers may have used the public server lists for an
   * earlier run of the core. So each list without an entry in `#endedAt` counts as used until this time.
   */
  readonly #startedAt: number;
  /** The prober session that owns each public server list, keyed by list. */
  readonly #owners = new Map<string, Session>();
  /** Time at which the last prober session stopped using a public server list, Unix ms. The key is the list. */
  readonly #endedAt = new Map<string, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /**
   * Reserves a public server list for a prober session. Returns 0 if the session can send requests to the list now, or
   * the time that the session must wait, ms.
   */
  claim(session: Session, directory: string, now: number): number {
    const owner = this.#owners.get(directory);
    if (owner === session) return 0;
    if (owner !== undefined) this.#release(directory, now);
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // If the clock was set back, `passed` is negative, and the wait `QUIET_MS - passed` could be very long. The session
    // then does not wait at all.
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
