import { type PacketWindow, WINDOW_MS } from './packet-window.ts';

/**
 * The assumed packets of a probe until some were measured: a question, its challenge, and every second time
 * players.
 */
const PACKETS_A_PROBE = 2.5;
/**
 * Reservations are spaced this much wider than needed. Without slack, delays would add up at full load and
 * never shrink.
 */
const SLACK = 1.05;
/** Weight of the latest probe in the estimate of what the next one needs. */
const WEIGHT = 1 / 8;

/**
 * Reservations to probe within one rate limit. The spacing between two follows the measured cost of the last
 * probes.
 */
export class ReservationQueue {
  readonly #window: PacketWindow;
  #probeMs: number;
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor(window: PacketWindow) {
    this.#window = window;
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
  }

  /** Forgets all reservations and measurements. */
  reset(): void {
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
    this.#freeAt = Number.NEGATIVE_INFINITY;
  }

  /** The next free reservation, ms; a time in the past means now. */
  get freeAt(): number {
    return this.#freeAt;
  }

  /** Reserves the next free time and returns it, ms. */
  reserve(now: number): number {
    const reservation = Math.max(this.#freeAt, now);
    this.#freeAt = reservation + this.#probeMs * SLACK;
    return reservation;
  }

  /**
   * Adds the cost of a finished probe to the estimate. `heldMs`: how long it kept the next probe waiting,
   * whatever it sent.
   */
  addSample(packets: number, heldMs: number): void {
    const took = Math.max(this.#msOf(packets), heldMs);
    this.#probeMs += (took - this.#probeMs) * WEIGHT;
  }

  #msOf(packets: number): number {
    return (packets * WINDOW_MS) / this.#window.packets;
  }
}
