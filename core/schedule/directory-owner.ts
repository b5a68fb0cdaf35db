/** A prober's counts of requests are worth nothing to another: after an owner, a directory is left alone this long. */
const QUIET_MS = 63_000;

/** Whether a session may be given leases of a directory's servers. */
export type DirectoryClaim<Session> =
  | { kind: 'granted' }
  /** Another session has them. */
  | { kind: 'owned'; by: Session }
  /** Nobody has them yet, lest the directory be asked by two within a minute. */
  | { kind: 'quiet'; ms: number };

/**
 * Has each directory asked by one prober's session at a time, so that what a prober keeps to holds for all probers of a
 * core together. The first session that claims a directory owns it until the session ends; a minute later the next one
 * can. After a start nobody can for a minute, since an earlier core's probers may just have asked.
 *
 * `Session` is told apart by identity. Times are in ms, of one clock, which may be set back.
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

  /** Makes the session the owner if nobody is and the directory was quiet for long enough. */
  claim(session: Session, directory: string, now: number): DirectoryClaim<Session> {
    const owner = this.#owners.get(directory);
    if (owner !== undefined) return owner === session ? { kind: 'granted' } : { kind: 'owned', by: owner };
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // A clock that was set back must not keep a directory from being asked.
    if (passed >= 0 && passed < QUIET_MS) return { kind: 'quiet', ms: QUIET_MS - passed };
    this.#owners.set(directory, session);
    this.#endedAt.delete(directory);
    return { kind: 'granted' };
  }

  /** Frees what a session owned; for sessions that have ended, not for streams that may come back. */
  end(session: Session, now: number): void {
    for (const [directory, owner] of this.#owners) {
      if (owner !== session) continue;
      this.#owners.delete(directory);
      this.#endedAt.set(directory, now);
    }
  }
}
