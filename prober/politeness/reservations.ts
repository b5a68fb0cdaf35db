import type { Host, RateLimited } from './host.ts';
import type { ReservationQueue } from './reservation-queue.ts';

/**
 * A probe waits here for a reservation that is at most this far off. A later one sends it away until then.
 */
export const PATIENCE_MS = 2000;
const MOST_RETRY_MS = 600_000;
/** An unused reservation is dropped this long after its time, ms. */
const KEPT_MS = 60_000;
/** Outsiders choose the servers, so reservations are capped. One takes about 100 bytes. */
const MAX_RESERVATIONS = 262_144;

/** Says that a server may not be probed now, and when to come again. */
export interface HeldBack {
  retryAfterMs: number;
}

/**
 * Queues probes when more servers are due than the rate limits allow. A server that is sent away keeps its
 * reservation: when it comes back at that time it is admitted, however many others have come since.
 */
export class Reservations {
  #given = 0;

  /** Returns undefined if the server at this port may be probed now, else when to come again. */
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

  /** Sends away a server that waited in vain, to the end of its host's queue. */
  requeue(host: Host, port: number, now: number): HeldBack {
    return this.#reserve(host, port, { at: host.queue.reserve(now), queuesPassed: 1 }, now);
  }

  /** Drops reservations that nobody used. */
  dropExpired(host: Host, now: number): void {
    if (!host.reservations) return;
    for (const [port, { at }] of host.reservations) if (at + KEPT_MS < now) this.#drop(host, port);
  }

  /** `queuesPassed`: number of queues the server has passed before this one. */
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
    // Refuses a reservation that could not be stored: it would be lost, and the queue would grow without end.
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
