import type { ProberSession, ProberStream } from './prober-session.ts';

/**
 * Time in which a prober can resume its session after its stream broke, ms. After this time, the servers that the
 * prober had to probe are due again for other probers.
 */
const RESUME_MS = 2_000;
const MAX_BROKEN = 1_000;

/**
 * The sessions of all probers. Connected sessions are keyed by their stream. Sessions whose stream broke a short time
 * ago are keyed by their id.
 */
export class ProberSessions {
  readonly #connected = new Map<ProberStream, ProberSession>();
  readonly #broken = new Map<string, ProberSession>();
  /** Index of the prober session that comes first in the next round-robin order. */
  #first = 0;

  /** Number of prober sessions that are connected. */
  get size(): number {
    return this.#connected.size;
  }

  /** The prober sessions that are connected. */
  connected(): Iterable<ProberSession> {
    return this.#connected.values();
  }

  /**
   * Yields all prober sessions. Broken sessions that can still be resumed come first. Connected sessions follow, the
   * newest one last.
   */
  *all(): Iterable<ProberSession> {
    yield* this.#broken.values();
    yield* this.#connected.values();
  }

  find(stream: ProberStream): ProberSession | undefined {
    return this.#connected.get(stream);
  }

  isConnected({ stream }: ProberSession): boolean {
    return this.#connected.has(stream);
  }

  /** Connects the session of a prober to its gRPC stream. */
  connect(session: ProberSession, stream: ProberStream): void {
    session.stream = stream;
    this.#connected.set(stream, session);
  }

  /** Removes the prober session that is connected to a stream, and returns this session. */
  disconnect(stream: ProberStream): ProberSession | undefined {
    const session = this.#connected.get(stream);
    this.#connected.delete(stream);
    return session;
  }

  /**
   * Removes the session with this id, and returns it. Also searches the connected sessions, because the core may not
   * have noticed yet that the stream of the session broke.
   */
  removeById(id: string): ProberSession | undefined {
    for (const [stream, session] of this.#connected) {
      if (session.id !== id) continue;
      this.#connected.delete(stream);
      return session;
    }
    const session = this.#broken.get(id);
    this.#broken.delete(id);
    return session;
  }

  /**
   * Keeps a disconnected session for a limited time, so that the prober can resume it. Returns false if too many
   * sessions are kept already.
   */
  keepBroken(session: ProberSession, now: number): boolean {
    if (this.#broken.size >= MAX_BROKEN) return false;
    session.resumableUntil = now + RESUME_MS;
    this.#broken.set(session.id, session);
    return true;
  }

  /**
   * Removes the sessions whose stream broke and that no prober resumed in time. Calls `end` with each removed session.
   */
  endExpired(now: number, end: (session: ProberSession) => void): void {
    for (const [id, session] of this.#broken) {
      // A session stays until its end time, which is at most `RESUME_MS` from now. If the end time is later, the clock
      // was set back. The session is then removed, because it could stay for too long.
      if (now < session.resumableUntil && session.resumableUntil <= now + RESUME_MS) continue;
      this.#broken.delete(id);
      end(session);
    }
  }

  /**
   * Returns the connected prober sessions in round-robin order, so that all probers get work even if only a few servers
   * are due. Probers whose network connection (uplink) is down come last.
   */
  roundRobin(): ProberSession[] {
    const sessions = [...this.#connected.values()];
    if (sessions.length === 1) return sessions;
    this.#first = (this.#first + 1) % Math.max(1, sessions.length);
    const ordered = [...sessions.slice(this.#first), ...sessions.slice(0, this.#first)];
    return ordered.sort((a, b) => Number(a.uplinks.isAnyOut) - Number(b.uplinks.isAnyOut));
  }
}
