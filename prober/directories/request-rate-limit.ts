/**
 * Length of the sliding window in which gsq counts the requests to a public server list, ms: one minute and a margin of
 * three seconds. The margin is necessary because the host counts a request only when it arrives, and the travel times
 * of requests differ.
 */
export const WINDOW_MS = 63_000;
/** Minimum time between two clean-ups, in milliseconds. A clean-up drops the reserved start times that have expired. */
const SWEEP_MS = 60_000;
/**
 * Longest wait for which a look-up of a game server gets a reserved start time, ms. For a longer wait, the rate limit
 * reserves nothing, and the caller must ask again later.
 */
const AHEAD_MS = 3_600_000;
/** If a look-up does not begin within this time after its reserved start time, the reservation expires, ms. */
const MISSED_MS = 600_000;
/**
 * Share of the allowed requests per minute that look-ups of game servers can use without gaps after an idle time.
 * Further look-ups are evenly spaced.
 */
const BURST = 1 / 6;

/**
 * Rate limit for requests to one host of a public server list: `perMinute` requests in a sliding window. Look-ups that
 * must wait get reserved start times from the generic cell rate algorithm (ITU-T I.371).
 */
export class RequestRateLimit {
  readonly #perMinute: number;
  readonly #gapMs: number;
  readonly #toleranceMs: number;
  /** Times of the last requests to the host, oldest first. The array holds at most `perMinute` times. */
  readonly #sent: number[] = [];
  /**
   * Reserved start time of each waiting look-up, ms. The key of the map is the `key` of `claimReservation`. Unused
   * reservations expire, so the map cannot fill the memory.
   */
  readonly #reservations = new Map<string, number>();
  /**
   * Time at which the next look-up would start if all look-ups were evenly spaced, ms. After an idle time, some
   * look-ups can start earlier. The generic cell rate algorithm calls this value the theoretical arrival time.
   */
  #dueAt = Number.NEGATIVE_INFINITY;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#gapMs = WINDOW_MS / perMinute;
    this.#toleranceMs = this.#gapMs * Math.floor(perMinute * BURST);
  }

  /**
   * If the rate limit allows a request to the host now, counts the request and returns 0. Otherwise counts nothing and
   * returns the time to wait, ms.
   */
  countRequest(now: number): number {
    const wait = this.#waitForRoom(now);
    if (wait > 0) return wait;
    this.#sent.push(now);
    if (this.#sent.length > this.#perMinute) this.#sent.shift();
    return 0;
  }

  /**
   * Returns 0 if a look-up of a game server is allowed now. If not, reserves a later time and returns the wait, ms.
   * After the wait, the caller must ask again with the same `key`.
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

  /** Drops the reserved start times that have expired. Runs at most once a minute, because it checks all of them. */
  #sweep(now: number): void {
    if (now < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, reservation] of this.#reservations) {
      if (reservation < now - MISSED_MS) this.#reservations.delete(key);
    }
  }
}
