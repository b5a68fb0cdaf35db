/**
 * Pause between two owners of a server directory, ms. It is needed because a prober does not know how many requests the
 * previous owner made.
 */
const QUIET_MS = 63_000;

/** Result of a claim: a session wants to own a server directory. */
export type DirectoryClaim<Session> =
  | { kind: 'granted' }
  /** A different session owns the directory. */
  | { kind: 'owned'; by: Session }
  /**
   * No session is allowed to own the directory for the next `ms` milliseconds. Therefore no two probers query the
   * directory within a minute.
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
  /** Directories come from the catalog, so both maps are small. */
  readonly #owners = new Map<string, Session>();
  /** Time at which the session of the last owner of each directory ended. */
  readonly #endedAt = new Map<string, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Makes the session the owner of a directory if no session owns the directory and the pause is over. */
  claim(session: Session, directory: string, now: number): DirectoryClaim<Session> {
    const owner = this.#owners.get(directory);
    if (owner !== undefined) return owner === session ? { kind: 'granted' } : { kind: 'owned', by: owner };
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // If the clock was set back, `passed` is negative. The pause counts as over in this case, so that the directory
    // does not stay blocked.
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
