import { type PacketWindow, WINDOW_MS } from './packet-window.ts';

/**
 * Assumed average number of packets per probe until probes are measured: the query, its repetition with the challenge
 * of the server, and in half of the probes the query for the players.
 */
const PACKETS_A_PROBE = 2.5;
/**
 * Factor that makes the gaps between reserved start times 5 % longer than the rate limit requires. If a probe is late
 * and delays the next probes, the spare time reduces this delay again, even under full load.
 */
const SLACK = 1.05;
/** Weight of the latest probe in `#probeMs`, the moving average of the cost of a probe. */
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

  /** Resets this queue: forgets all reserved start times and the measured cost of probes. */
  reset(): void {
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
    this.#freeAt = Number.NEGATIVE_INFINITY;
  }

  /** Earliest start time that is not reserved yet, ms. If this time is in the past, a probe can start now. */
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
   * Adds the cost of a finished probe to the moving average. The cost, in ms, is the longer of two times: `heldMs`, and
   * the time in which the rate limit allows `packets` packets. `heldMs` is the duration of the probe, divided by the
   * allowed number of concurrent probes. If this queue is for a network or for the whole prober, `heldMs` is 0.
   */
  addSample(packets: number, heldMs: number): void {
    const took = Math.max(this.#msOf(packets), heldMs);
    this.#probeMs += (took - this.#probeMs) * WEIGHT;
  }

  #msOf(packets: number): number {
    return (packets * WINDOW_MS) / this.#window.packets;
  }
}
