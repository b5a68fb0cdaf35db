/**
 * Length of the sliding window, ms: one minute and a margin. A request is counted before its connection is opened, so
 * the time until it arrives varies. The margin ensures that the directory never receives too many requests within one
 * minute.
 */
export const WINDOW_MS = 63_000;
/** Interval at which unused reservations are dropped, ms. */
const SWEEP_MS = 60_000;
/**
 * Longest time from now to a reservation, ms. A look-up that would have to wait longer gets no reservation, and its
 * caller is told to try again after this time.
 */
const AHEAD_MS = 3_600_000;
/** Time after which an unused reservation is dropped, ms, counted from the reserved time. */
const MISSED_MS = 600_000;
/** Maximum size of a burst of look-ups after an idle time, as a fraction of the requests per minute. */
const BURST = 1 / 6;

/**
 * Rate limit of one host. A sliding window allows at most `perMinute` requests. A look-up that must wait gets a
 * reservation: a time at which it will be admitted. The generic cell rate algorithm (ITU-T I.371) assigns these times,
 * so that no server waits forever.
 */
export class RequestRateLimit {
  readonly #perMinute: number;
  readonly #gapMs: number;
  readonly #toleranceMs: number;
  /** Times of the last requests, oldest first. The array holds at most `perMinute` times. */
  readonly #sent: number[] = [];
  /**
   * Reserved times of waiting look-ups, keyed by the key of the look-up. The map stays small, because no time is more
   * than `AHEAD_MS` ahead, and an unused time is dropped after `MISSED_MS`.
   */
  readonly #reservations = new Map<string, number>();
  /**
   * Time of the next look-up if all look-ups were evenly spaced. The generic cell rate algorithm calls it the
   * theoretical arrival time.
   */
  #dueAt = Number.NEGATIVE_INFINITY;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#gapMs = WINDOW_MS / perMinute;
    this.#toleranceMs = this.#gapMs * Math.floor(perMinute * BURST);
  }

  /**
   * Counts a request and returns 0 if the rate limit allows the request now. If not, counts nothing and returns the
   * time to wait, ms.
   */
  countRequest(now: number): number {
    const wait = this.#waitForRoom(now);
    if (wait > 0) return wait;
    this.#sent.push(now);
    if (this.#sent.length > this.#perMinute) this.#sent.shift();
    return 0;
  }

  /**
   * Returns 0 if a look-up is allowed now. If not, reserves a time for the look-up and returns the time to wait, ms.
   * `key` identifies the look-up.
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

  /** Drops the reservations that no look-up used. Runs at most once a minute, because it checks all reservations. */
  #sweep(now: number): void {
    if (now < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, reservation] of this.#reservations) {
      if (reservation < now - MISSED_MS) this.#reservations.delete(key);
    }
  }
}
