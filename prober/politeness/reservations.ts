import type { Host, RateLimited } from './host.ts';
import type { ReservationQueue } from './reservation-queue.ts';

/**
 * A probe is admitted if its reservation is at most this far in the future, ms. Its packets then wait for the rate
 * limits. A probe with a later reservation is postponed.
 */
export const PATIENCE_MS = 2000;
const MOST_RETRY_MS = 600_000;
/** Time in ms from the reserved moment until an unused reservation is dropped. */
const KEPT_MS = 60_000;
/**
 * Maximum number of reservations. Callers choose the servers, so without a limit they could fill the memory. A
 * reservation takes about 100 bytes.
 */
const MAX_RESERVATIONS = 262_144;

/** Reply for a probe that is postponed: its server can be probed after `retryAfterMs` milliseconds. */
export interface HeldBack {
  retryAfterMs: number;
}

/**
 * Postpones probes if more servers are due than the rate limits allow. A postponed server keeps its reservation: when
 * its probe is requested again at the reserved time, it is admitted, however many other servers were added in between.
 */
export class Reservations {
  #given = 0;

  /**
   * Returns undefined if the server at this port can be probed now. If not, returns the time after which to try again.
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
   * Postpones a server whose probe waited too long because other probes of the address were running. The server gets
   * the last reservation in the queue of the address.
   */
  requeue(host: Host, port: number, now: number): HeldBack {
    return this.#reserve(host, port, { at: host.queue.reserve(now), queuesPassed: 1 }, now);
  }

  /** Drops unused reservations of a host if their time passed more than a minute ago. */
  dropExpired(host: Host, now: number): void {
    if (!host.reservations) return;
    for (const [port, { at }] of host.reservations) if (at + KEPT_MS < now) this.#drop(host, port);
  }

  /**
   * Reserves a time in the queue of one rate limit. Returns undefined if the time is near enough to start the probe
   * now. If not, stores the reservation and returns the waiting time. `queuesPassed` is the number of narrower rate
   * limits that have already allowed the probe.
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
    // Assigns no reservation if the reservation cannot be stored. No probe would use it, and the queue would become
    // longer and longer.
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
