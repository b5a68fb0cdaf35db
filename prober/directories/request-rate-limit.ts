/**
 * Length of the window, ms: a minute and a margin. A request is counted before its connection is made, and
 * two requests a minute apart must not arrive within one minute.
 */
export const WINDOW_MS = 63_000;
/** How often unused reservations are dropped, ms. */
const SWEEP_MS = 60_000;
/** Longest time ahead of a reservation, ms; later callers are told to come back then. */
const AHEAD_MS = 3_600_000;
/** An unused reservation is free again after this time, ms. */
const MISSED_MS = 600_000;
/** Share of a minute's requests that may be sent at once after a quiet time. */
const BURST = 1 / 6;

/**
 * The rate limit of one host: a sliding window of at most `perMinute` requests, and reservations for look-ups
 * that must wait, given out by the generic cell rate algorithm (ITU-T I.371), so that no server starves.
 */
export class RequestRateLimit {
  readonly #perMinute: number;
  readonly #gapMs: number;
  readonly #toleranceMs: number;
  /** Times of the last requests, oldest first; at most `perMinute` of them. */
  readonly #sent: number[] = [];
  /** Reserved times of waiting look-ups. Their number is bounded by `AHEAD_MS` and `MISSED_MS`. */
  readonly #reservations = new Map<string, number>();
  /** The theoretical arrival time of the algorithm: when the next look-up is due if all come evenly spaced. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#gapMs = WINDOW_MS / perMinute;
    this.#toleranceMs = this.#gapMs * Math.floor(perMinute * BURST);
  }

  /**
   * Counts a request if it may be sent now and returns 0. Otherwise counts nothing and returns the time to
   * wait, ms.
   */
  countRequest(now: number): number {
    const wait = this.#waitForRoom(now);
    if (wait > 0) return wait;
    this.#sent.push(now);
    if (this.#sent.length > this.#perMinute) this.#sent.shift();
    return 0;
  }

  /**
   * Returns 0 if a look-up may be made now. Otherwise reserves a time for it and returns how long to wait,
   * ms.
   */
  claimReservation(key: string, now: number): number {
    this.#sweep(now);
    const reserved = this.#reservations.get(key);
    if (reserved !== undefined && reserved > now) return reserved - now;
    const reservation = reserved ?? Math.max(now, this.#dueAt - this.#toleranceMs);
    const wait = Math.max(reservation - now, this.#waitForRoom(now));
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

  /** Drops unused reservations once a minute; the map is not ordered by time. */
  #sweep(now: number): void {
    if (now < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, reservation] of this.#reservations) {
      if (reservation < now - MISSED_MS) this.#reservations.delete(key);
    }
  }
}
