/**
 * Pause before a public server list gets a new owner, ms. The rate limit of the list also covers the requests of the
 * previous owner, and the new owner does not know how many there were.
 */
const QUIET_MS = 63_000;

/** Answer to a prober session that wants to own a public server list. */
export type DirectoryClaim<Session> =
  | { kind: 'granted' }
  /** Refused: the session `by` owns the public server list. */
  | { kind: 'owned'; by: Session }
  /**
   * Refused: the public server list has no owner, but no session can claim it for the next `ms` milliseconds. A
   * different prober perhaps sent requests to the list in the last minute.
   */
  | { kind: 'quiet'; ms: number };

/**
 * Gives each public server list (a web service that lists the servers of a game) to one prober session at a time.
 * Therefore the rate limit in that prober applies to all requests to the list.
 *
 * The first session that claims a list owns it until the session ends. `QUIET_MS` later, a different session can claim
 * the list. For the same time after the start of the core, no session can claim a list. Probers of the previous core
 * perhaps sent requests to it just before.
 *
 * Sessions are compared by identity. Times are in ms of a clock that can be set back.
 */
export class DirectoryOwners<Session> {
  readonly #startedAt: number;
  /**
   * Session that owns a public server list, keyed by list. The map stays small, because only the catalog defines such
   * lists.
   */
  readonly #owners = new Map<string, Session>();
  /** Time at which a public server list lost its owner, keyed by list. */
  readonly #endedAt = new Map<string, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /**
   * Makes a session the owner of a public server list. Refuses this if a different session owns the list. Also refuses
   * it in the first `QUIET_MS` after the session of the last owner ended, or after the core started.
   */
  claim(session: Session, directory: string, now: number): DirectoryClaim<Session> {
    const owner = this.#owners.get(directory);
    if (owner !== undefined) return owner === session ? { kind: 'granted' } : { kind: 'owned', by: owner };
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // `passed` is negative if the clock was set back. The session can own the list in this case. If it had to wait, the
    // list could stay blocked until the clock catches up.
    if (passed >= 0 && passed < QUIET_MS) return { kind: 'quiet', ms: QUIET_MS - passed };
    this.#owners.set(directory, session);
    this.#endedAt.delete(directory);
    return { kind: 'granted' };
  }

  /**
   * Releases the public server lists that a session owned. Call this method when the session has ended. Do not call it
   * when only the stream broke, because the prober can resume the session.
   */
  end(session: Session, now: number): void {
    for (const [directory, owner] of this.#owners) {
      if (owner !== session) continue;
      this.#owners.delete(directory);
      this.#endedAt.set(directory, now);
    }
  }
}
