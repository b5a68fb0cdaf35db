/**
 * Pause between two owners of a public server list, ms. When the session of an owner ends, no session can own the list
 * during the pause. The requests of the previous owner still count against the rate limit of the list, and a new owner
 * does not know how many requests there were.
 */
const QUIET_MS = 63_000;

/** Answer to a prober session that wants to own a public server list. Only the owner of a list sends requests to it. */
export type DirectoryClaim<Session> =
  | { kind: 'granted' }
  /**
   * The session may not send requests to the public server list, because a different session, `by`, already owns the
   * list.
   */
  | { kind: 'owned'; by: Session }
  /**
   * The session may not send requests to the public server list yet. The list has no owner, but a different prober
   * perhaps sent requests to the list in the last minute. A session can become the owner after `ms` milliseconds.
   */
  | { kind: 'quiet'; ms: number };

/**
 * Gives each public server list (a web service that lists the servers of a game) to one prober session at a time.
 * Therefore the rate limit in that prober applies to all requests to the list.
 *
 * The first session that claims a list owns it until the session ends. After that, no session can claim the list for
 * `QUIET_MS`. The same pause applies after the start of the core, because probers of the previous core perhaps sent
 * requests to the list just before.
 *
 * Times are in ms.
 */
export class DirectoryOwners<Session> {
  readonly #startedAt: number;
  /** Prober session that owns a public server list, keyed by list. */
  readonly #owners = new Map<string, Session>();
  /** Time at which the session that owned a public server list ended, keyed by list. */
  readonly #endedAt = new Map<string, number>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /**
   * Tries to make a prober session the owner of a public server list. Refuses in two cases: a different session owns
   * the list, or the last owner ended (or the core started) less than `QUIET_MS` ago.
   */
  claim(session: Session, directory: string, now: number): DirectoryClaim<Session> {
    const owner = this.#owners.get(directory);
    if (owner !== undefined) return owner === session ? { kind: 'granted' } : { kind: 'owned', by: owner };
    const passed = now - (this.#endedAt.get(directory) ?? this.#startedAt);
    // If the end of the last owner is in the future (`passed` is negative), the clock was set back. The session then
    // becomes the owner of the list immediately. Otherwise it would wait until the clock shows the old time again.
    if (passed >= 0 && passed < QUIET_MS) return { kind: 'quiet', ms: QUIET_MS - passed };
    this.#owners.set(directory, session);
    this.#endedAt.delete(directory);
    return { kind: 'granted' };
  }

  /**
   * Releases the public server lists that a prober session owned, so that other sessions can own them. Call this method
   * when the session has ended. Do not call it when only the stream broke, because the prober can resume the session.
   */
  end(session: Session, now: number): void {
    for (const [directory, owner] of this.#owners) {
      if (owner !== session) continue;
      this.#owners.delete(directory);
      this.#endedAt.set(directory, now);
    }
  }
}
