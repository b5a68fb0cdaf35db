import type { Host, RateLimited } from './host.ts';
import type { ReservationQueue } from './reservation-queue.ts';

/** A reservation no further off is waited for here; a server whose reservation is further off is sent away until then. */
export const PATIENCE_MS = 2000;
const MOST_RETRY_MS = 600_000;
/** A reservation that nobody came for is given up after this. */
const KEPT_MS = 60_000;
/** Outsiders choose which servers there are. A reservation takes about 100 bytes. */
const MAX_RESERVATIONS = 262_144;

/** Nothing may be sent to this server for now. */
export interface HeldBack {
  retryAfterMs: number;
}

/**
 * Who may probe when more servers are due than the limits allow: they stand in the queue of each limit in reservation. One
 * that is sent away keeps its reservation: back at that time, it is let in, however many others have come since.
 */
export class Reservations {
  #given = 0;

  /** Undefined when it is the reservation of the server at this port. */
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

  /** Sends a server away that waited in vain: to the end of the queue of its host. */
  requeue(host: Host, port: number, now: number): HeldBack {
    return this.#reserve(host, port, { at: host.queue.reserve(now), queuesPassed: 1 }, now);
  }

  /** Forgets reservations that nobody came for. */
  dropExpired(host: Host, now: number): void {
    if (!host.reservations) return;
    for (const [port, { at }] of host.reservations) if (at + KEPT_MS < now) this.#drop(host, port);
  }

  /** `queuesPassed`: lines before this one. */
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
    // Without a note of it a reservation would be lost, and the queue grow without end.
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
