import type { ProberSession, ProberStream } from './prober-session.ts';

/** A prober whose stream broke has this long to resume its session, ms; then its leases are given to others. */
const RESUME_MS = 2_000;
const MAX_BROKEN = 1_000;

/** The sessions of all probers: connected ones by stream, and those whose stream broke lately by id. */
export class ProberSessions {
  readonly #connected = new Map<ProberStream, ProberSession>();
  readonly #broken = new Map<string, ProberSession>();
  /** Position of the session that is first in the round robin. */
  #first = 0;

  /** Number of connected probers. */
  get size(): number {
    return this.#connected.size;
  }

  /** The connected sessions. */
  connected(): Iterable<ProberSession> {
    return this.#connected.values();
  }

  find(stream: ProberStream): ProberSession | undefined {
    return this.#connected.get(stream);
  }

  isConnected({ stream }: ProberSession): boolean {
    return this.#connected.has(stream);
  }

  /** Connects a session to a stream. */
  connect(session: ProberSession, stream: ProberStream): void {
    session.stream = stream;
    this.#connected.set(stream, session);
  }

  /** Removes and returns the connected session of a stream. */
  disconnect(stream: ProberStream): ProberSession | undefined {
    const session = this.#connected.get(stream);
    this.#connected.delete(stream);
    return session;
  }

  /** Removes and returns a session by its id. Its old stream may be broken without anybody having noticed. */
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

  /** Keeps a disconnected session for a while, so that it can be resumed; false if too many are kept. */
  keepBroken(session: ProberSession, now: number): boolean {
    if (this.#broken.size >= MAX_BROKEN) return false;
    session.resumableUntil = now + RESUME_MS;
    this.#broken.set(session.id, session);
    return true;
  }

  /** Removes broken sessions that were not resumed in time, each before `end` is called with it. */
  endExpired(now: number, end: (session: ProberSession) => void): void {
    for (const [id, session] of this.#broken) {
      // The second comparison ends sessions whose time lies too far ahead because the clock was set back.
      if (now < session.resumableUntil && session.resumableUntil <= now + RESUME_MS) continue;
      this.#broken.delete(id);
      end(session);
    }
  }

  /**
   * The connected sessions in round-robin order, so that a few due servers are shared too. Probers whose uplink is out come
   * last.
   */
  roundRobin(): ProberSession[] {
    const sessions = [...this.#connected.values()];
    if (sessions.length === 1) return sessions;
    this.#first = (this.#first + 1) % Math.max(1, sessions.length);
    const ordered = [...sessions.slice(this.#first), ...sessions.slice(0, this.#first)];
    return ordered.sort((a, b) => Number(a.uplinks.isAnyOut) - Number(b.uplinks.isAnyOut));
  }
}
