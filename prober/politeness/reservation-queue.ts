import { type PacketWindow, WINDOW_MS } from './packet-window.ts';

/**
 * Assumed number of packets per probe before any probe was measured: one query, the same query with its challenge, and
 * in half of the probes a query for the players.
 */
const PACKETS_A_PROBE = 2.5;
/**
 * Factor by which the spacing of reservations is longer than needed. Without this slack, delays would add up at full
 * load and never become shorter.
 */
const SLACK = 1.05;
/** Weight of the latest probe in the moving average of the cost of a probe. */
const WEIGHT = 1 / 8;

/**
 * Assigns reservations within one rate limit. A reservation is a time at which a server can be probed. The gap between
 * two reservations is the average cost of the last probes. The cost of a probe is the time in which the rate limit
 * allows its packets.
 */
export class ReservationQueue {
  readonly #window: PacketWindow;
  #probeMs: number;
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor(window: PacketWindow) {
    this.#window = window;
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
  }

  /** Forgets all reservations and the measured cost of probes. */
  reset(): void {
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
    this.#freeAt = Number.NEGATIVE_INFINITY;
  }

  /** Time of the next free reservation, ms. If this time has passed, a probe can start now. */
  get freeAt(): number {
    return this.#freeAt;
  }

  /** Reserves the next free time. Returns this time, ms. */
  reserve(now: number): number {
    const reservation = Math.max(this.#freeAt, now);
    this.#freeAt = reservation + this.#probeMs * SLACK;
    return reservation;
  }

  /**
   * Adds the cost of a finished probe to the moving average. The cost is the time in which the rate limit allows
   * `packets` packets, but at least `heldMs`: the time for which this probe blocked the next probe.
   */
  addSample(packets: number, heldMs: number): void {
    const took = Math.max(this.#msOf(packets), heldMs);
    this.#probeMs += (took - this.#probeMs) * WEIGHT;
  }

  #msOf(packets: number): number {
    return (packets * WINDOW_MS) / this.#window.packets;
  }
}
