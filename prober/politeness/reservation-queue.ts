import { type PacketWindow, WINDOW_MS } from './packet-window.ts';

/** What a probe is taken to need until some have been seen: a question, its challenge, every second time players. */
const PACKETS_A_PROBE = 2.5;
/** Reservations are this much further apart than needed: at full load every chance delay would add up for good. */
const SLACK = 1.05;
/** How much the latest probe weighs in what the next one is taken to need. */
const WEIGHT = 1 / 8;

/**
 * Reservations to probe within one limit: each comes as long after the one before as a probe takes of the limit, going by
 * the last ones.
 */
export class ReservationQueue {
  readonly #window: PacketWindow;
  #probeMs: number;
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor(window: PacketWindow) {
    this.#window = window;
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
  }

  /** Forgets who stood in it and what they took. */
  reset(): void {
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
    this.#freeAt = Number.NEGATIVE_INFINITY;
  }

  /** The next reservation that is free, ms; any time that has queuesPassed means now. */
  get freeAt(): number {
    return this.#freeAt;
  }

  /** Gives that reservation away, and says when it is. */
  reserve(now: number): number {
    const reservation = Math.max(this.#freeAt, now);
    this.#freeAt = reservation + this.#probeMs * SLACK;
    return reservation;
  }

  /** Learns from a probe that ended. `heldMs`: how long it kept the next one out, whatever it sent. */
  addSample(packets: number, heldMs: number): void {
    const took = Math.max(this.#msOf(packets), heldMs);
    this.#probeMs += (took - this.#probeMs) * WEIGHT;
  }

  #msOf(packets: number): number {
    return (packets * WINDOW_MS) / this.#window.packets;
  }
}
