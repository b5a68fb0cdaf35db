import { type PacketWindow, WINDOW_MS } from './packet-window.ts';

/**
 * Assumed number of packets per probe before any probe was measured: one query, the same query with its challenge, and
 * in half of the probes a query for the players.
 */
const PACKETS_A_PROBE = 2.5;
/**
 * Factor that makes the gaps between reservations longer than the rate limit requires. Without this reserve, a delay at
 * full load would never be made up.
 */
const SLACK = 1.05;
/** Weight of the latest probe in the moving average of the cost of a probe. */
const WEIGHT = 1 / 8;

/**
 * Assigns start times (reservations) to the probes that share one rate limit. The gap between two start times is long
 * enough for the packets of an average probe.
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
   * Adds a finished probe to the moving average of the cost of a probe. The cost is a time, ms: how long the rate limit
   * needs to allow `packets` packets. If the probe blocked the next probe for a longer time (`heldMs`), this time is
   * the cost.
   */
  addSample(packets: number, heldMs: number): void {
    const took = Math.max(this.#msOf(packets), heldMs);
    this.#probeMs += (took - this.#probeMs) * WEIGHT;
  }

  #msOf(packets: number): number {
    return (packets * WINDOW_MS) / this.#window.packets;
  }
}
