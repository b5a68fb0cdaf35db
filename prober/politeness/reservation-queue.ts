import { type PacketWindow, WINDOW_MS } from './packet-window.ts';

/**
 * Assumed number of packets per probe before any probe was measured: one query, the same query with its challenge, and
 * in half of the probes a query for the players.
 */
const PACKETS_A_PROBE = 2.5;
/**
 * Makes the gaps between reserved start times 5 % longer than the rate limit requires. Without this reserve, probes
 * that start late at full load would delay all later probes for ever.
 */
const SLACK = 1.05;
/** Weight of the latest probe in the moving average of the cost of a probe. */
const WEIGHT = 1 / 8;

/**
 * Assigns start times to the probes that share one rate limit. The gap between two start times is long enough for the
 * packets of an average probe.
 */
export class ReservationQueue {
  readonly #window: PacketWindow;
  #probeMs: number;
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor(window: PacketWindow) {
    this.#window = window;
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
  }

  /** Forgets all reserved start times and the measured cost of probes. */
  reset(): void {
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
    this.#freeAt = Number.NEGATIVE_INFINITY;
  }

  /** Earliest start time that is not reserved yet, ms. If it has passed, a probe can start now. */
  get freeAt(): number {
    return this.#freeAt;
  }

  /** Reserves the earliest free start time for a probe. Returns this time, ms. */
  reserve(now: number): number {
    const reservation = Math.max(this.#freeAt, now);
    this.#freeAt = reservation + this.#probeMs * SLACK;
    return reservation;
  }

  /**
   * Updates the moving average of the time that a probe costs, ms. The cost is the time in which the rate limit allows
   * `packets` packets. If `heldMs` is longer, it is the cost: the time for which the probe delayed the next probe at
   * its IP address.
   */
  addSample(packets: number, heldMs: number): void {
    const took = Math.max(this.#msOf(packets), heldMs);
    this.#probeMs += (took - this.#probeMs) * WEIGHT;
  }

  #msOf(packets: number): number {
    return (packets * WINDOW_MS) / this.#window.packets;
  }
}
