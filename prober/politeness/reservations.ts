import type { Host, RateLimited } from './host.ts';
import type { ReservationQueue } from './reservation-queue.ts';

/**
 * A probe is admitted if it has to wait at most this time for the rate limits, ms. If it has to wait longer, it is
 * postponed.
 */
export const PATIENCE_MS = 2000;
const MOST_RETRY_MS = 600_000;
/**
 * Time for which the reserved start time of a postponed probe is kept after it has passed, ms. If the probe is not
 * requested again within this time, the reserved start time is dropped.
 */
const KEPT_MS = 60_000;
/**
 * Maximum number of start times that are reserved for postponed probes. Callers choose the servers, so without a limit
 * they could fill the memory. A reserved start time takes about 100 bytes.
 */
const MAX_RESERVATIONS = 262_144;

/**
 * Tells the caller that its probe is postponed. After `retryAfterMs` milliseconds, the caller can request the probe
 * again.
 */
export interface HeldBack {
  retryAfterMs: number;
}

/**
 * Reserves start times for probes that a rate limit does not allow yet. The caller must request such a probe again at
 * its start time. The rate limit then admits it, even if many other probes were requested meanwhile.
 */
export class Reservations {
  #given = 0;

  /**
   * Checks whether the rate limits allow a probe of the server at this port now. Returns undefined if they do. If not,
   * returns how long the caller must wait before it calls this method again.
   */
  claim(host: Host, port: number, now: number): HeldBack | undefined {
    const reservation = host.reservations?.get(port);
    if (reservation && reservation.at - now > PATIENCE_MS) return sendAway(reservation.at, now);
    let queuesPassed = 0;
    for (let limit: RateLimited | undefined = host.first; limit; limit = limit.above, queuesPassed++) {
      if (reservation && queuesPassed < reservation.queuesPassed) continue;
      const heldBack = this.#joinQueue(limit.queue, host, queuesPassed, port, now);
      if (heldBack) return heldBack;
    }
    if (reservation) this.#drop(host, port);
    return undefined;
  }

  /**
   * Postpones a probe that waited too long for the probes of other servers at its IP address. Its new start time comes
   * after all start times that are already reserved at this address.
   */
  requeue(host: Host, port: number, now: number): HeldBack {
    return this.#reserve(host, port, { at: host.queue.reserve(now), queuesPassed: 1 }, now);
  }

  /**
   * Drops reserved start times of probes of a host. A start time is dropped if it passed more than a minute ago and no
   * probe has used it.
   */
  dropExpired(host: Host, now: number): void {
    if (!host.reservations) return;
    for (const [port, { at }] of host.reservations) if (at + KEPT_MS < now) this.#drop(host, port);
  }

  /**
   * Checks one rate limit. Returns undefined if the limit allows the probe to start now. If not, reserves a later start
   * time, and returns how long the caller must wait. `queuesPassed`: number of rate limits that have already admitted
   * the probe.
   */
  #joinQueue(
    queue: ReservationQueue,
    host: Host,
    queuesPassed: number,
    port: number,
    now: number,
  ): HeldBack | undefined {
    if (queue.freeAt - now <= PATIENCE_MS) {
      queue.reserve(now);
      return undefined;
    }
    // The maximum number of start times is reserved, so this probe gets none. The caller must try again later.
    if (this.#given >= MAX_RESERVATIONS && !host.reservations?.has(port))
      return { retryAfterMs: MOST_RETRY_MS };
    return this.#reserve(host, port, { at: queue.reserve(now), queuesPassed: queuesPassed + 1 }, now);
  }

  #reserve(
    host: Host,
    port: number,
    reservation: { at: number; queuesPassed: number },
    now: number,
  ): HeldBack {
    host.reservations ??= new Map();
    if (!host.reservations.has(port)) this.#given++;
    host.reservations.set(port, reservation);
    return sendAway(reservation.at, now);
  }

  #drop(host: Host, port: number): void {
    if (host.reservations?.delete(port)) this.#given--;
  }
}

function sendAway(until: number, now: number): HeldBack {
  return { retryAfterMs: Math.ceil(Math.min(until - now, MOST_RETRY_MS)) };
}
