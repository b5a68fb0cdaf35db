/** Pause between two owners of a directory, ms: a prober does not know how many requests another one made. */
const QUIET_MS = 63_000;

/** Answer to a session that claims a directory. */
export type DirectoryClaim<Session> =
  | { kind: 'granted' }
  /** Another session owns the directory. */
  | { kind: 'owned'; by: Session }
  /** Nobody may own the directory for another `ms`, so that no two probers query it within a minute. */
  | { kind: 'quiet'; ms: number };

/**
 * Gives each directory to one prober session at a time, so that the rate limit of one prober holds for all of them. The first
 * session that claims a directory owns it until the session ends; a minute later another one can claim it. In the first
 * minute after a start nobody can, since probers of the core before may just have queried it.
 *
 * Sessions are compared by identity. Times are ms of one clock, which may be set back.
 */
export class DirectoryOwners<Session> {
  readonly #startedAt: number;
  /** Directories are those of the catalog, so both maps are small. */
  readonly #owners = new Map<string, Session>();
  /** When the last owner of each directory ended. */
  readonly #endedAt = new Map<string, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Makes the session the owner of a directory if nobody owns it and the pause is over. */
  claim(session: Session, directory: string, now: number): DirectoryClaim<Session> {
    const owner = this.#owners.get(directory);
    if (owner !== undefined) return owner === session ? { kind: 'granted' } : { kind: 'owned', by: owner };
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // A clock that was set back must not block a directory.
    if (passed >= 0 && passed < QUIET_MS) return { kind: 'quiet', ms: QUIET_MS - passed };
    this.#owners.set(directory, session);
    this.#endedAt.delete(directory);
    return { kind: 'granted' };
  }

  /** Frees the directories of an ended session; not for broken streams whose session may be resumed. */
  end(session: Session, now: number): void {
    for (const [directory, owner] of this.#owners) {
      if (owner !== session) continue;
      this.#owners.delete(directory);
      this.#endedAt.set(directory, now);
    }
  }
}
