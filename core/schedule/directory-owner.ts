/**
 * Pause between two owners of a server directory, ms. It is needed because a prober does not know how many requests the
 * previous owner made.
 */
const QUIET_MS = 63_000;

/** Result of a claim: a session wants to own a server directory. */
export type DirectoryClaim<Session> =
  | { kind: 'granted' }
  /** The claim is refused, because the session `by` owns the server directory. */
  | { kind: 'owned'; by: Session }
  /**
   * The claim is refused. No session can own the server directory for the next `ms` milliseconds, because a different
   * prober perhaps queried the directory in the last minute.
   */
  | { kind: 'quiet'; ms: number };

/**
 * Gives each server directory (a web service that lists the servers of a game) to one prober session at a time.
 * Therefore the rate limit in that prober applies to all requests to the directory. The first session that claims a
 * directory owns it until the session ends. About a minute later, a different session can claim the directory. In the
 * first minute after the start of the core, no session can claim a directory, because probers of the previous core
 * perhaps queried it just before.
 *
 * Sessions are compared by identity. Times are in ms of one clock, which can be set back.
 */
export class DirectoryOwners<Session> {
  readonly #startedAt: number;
  /**
   * Session that owns a server directory, keyed by server directory. The map stays small, because only the catalog
   * defines server directories.
   */
  readonly #owners = new Map<string, Session>();
  /**
   * Time at which a server directory lost its last owner, because the session of this owner ended. The key is the
   * server directory.
   */
  readonly #endedAt = new Map<string, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /**
   * Makes the session the owner of a server directory. Refuses this if a different session owns the directory, or if
   * the last owner's session ended less than `QUIET_MS` ago.
   */
  claim(session: Session, directory: string, now: number): DirectoryClaim<Session> {
    const owner = this.#owners.get(directory);
    if (owner !== undefined) return owner === session ? { kind: 'granted' } : { kind: 'owned', by: owner };
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // `passed` is negative if the clock was set back. In this case the session can own the directory immediately. If it
    // had to wait, the directory could stay blocked until the clock catches up.
    if (passed >= 0 && passed < QUIET_MS) return { kind: 'quiet', ms: QUIET_MS - passed };
    this.#owners.set(directory, session);
    this.#endedAt.delete(directory);
    return { kind: 'granted' };
  }

  /**
   * Releases the directories of a session that has ended. Do not call this method for a broken stream whose session can
   * be resumed.
   */
  end(session: Session, now: number): void {
    for (const [directory, owner] of this.#owners) {
      if (owner !== session) continue;
      this.#owners.delete(directory);
      this.#endedAt.set(directory, now);
    }
  }
}
