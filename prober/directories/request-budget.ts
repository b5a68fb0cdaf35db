/**
 * A minute, and a little: a request is counted before its connection is made, and what set out a minute apart must not
 * arrive within one.
 */
export const WINDOW_MS = 63_000;
/** How often missed turns are looked for. */
const SWEEP_MS = 60_000;
/** Turns are reserved this far ahead; who comes later is told to come back then. */
const AHEAD_MS = 3_600_000;
/** A turn that nobody came for is free after this long. */
const MISSED_MS = 600_000;
/** Share of a minute's requests that may leave at once after a quiet time. */
const BURST = 1 / 6;

/**
 * The requests one host may get: at most `perMinute` in any window (a sliding one), and turns for look-ups that
 * have to wait, given out by the generic cell rate algorithm (ITU-T I.371), so that no server starves.
 */
export class RequestBudget {
  readonly #perMinute: number;
  readonly #gapMs: number;
  readonly #toleranceMs: number;
  /** When the last requests were sent, oldest first; at most `perMinute` of them. */
  readonly #sent: number[] = [];
  /** When each waiting look-up may be made; at most what is given out in `AHEAD_MS` and `MISSED_MS`. */
  readonly #reservations = new Map<string, number>();
  /** The theoretical arrival time of the algorithm: when the next look-up is due if all come evenly spaced. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#gapMs = WINDOW_MS / perMinute;
    this.#toleranceMs = this.#gapMs * Math.floor(perMinute * BURST);
  }

  /** Counts a request if it may be sent now. Returns 0 then, else how long to wait in ms, and counts nothing. */
  takeRequest(now: number): number {
    const wait = this.#waitForRoom(now);
    if (wait > 0) return wait;
    this.#sent.push(now);
    if (this.#sent.length > this.#perMinute) this.#sent.shift();
    return 0;
  }

  /** How long until a look-up may be made, in ms: 0 now, else its turn is kept until it comes back. */
  claimTurn(key: string, now: number): number {
    this.#sweep(now);
    const reserved = this.#reservations.get(key);
    if (reserved !== undefined && reserved > now) return reserved - now;
    const turn = reserved ?? Math.max(now, this.#dueAt - this.#toleranceMs);
    const wait = Math.max(turn - now, this.#waitForRoom(now));
    if (wait > AHEAD_MS) return AHEAD_MS;
    if (reserved === undefined) this.#dueAt = Math.max(now, this.#dueAt) + this.#gapMs;
    if (wait > 0) this.#reservations.set(key, now + wait);
    else this.#reservations.delete(key);
    return wait;
  }

  #waitForRoom(now: number): number {
    const [oldest] = this.#sent;
    if (oldest === undefined || this.#sent.length < this.#perMinute) return 0;
    return Math.max(0, oldest + WINDOW_MS - now);
  }

  /** Frees missed turns, once a minute: the map is in no order. */
  #sweep(now: number): void {
    if (now < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, turn] of this.#reservations) {
      if (turn < now - MISSED_MS) this.#reservations.delete(key);
    }
  }
}
