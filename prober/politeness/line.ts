import { type PacketWindow, WINDOW_MS } from './packet-window.ts';

/** What a probe is taken to need until some have been seen: a question, its challenge, every second time players. */
const PACKETS_A_PROBE = 2.5;
/** Turns are this much further apart than needed: at full load every chance delay would add up for good. */
const SLACK = 1.05;
/** How much the latest probe weighs in what the next one is taken to need. */
const WEIGHT = 1 / 8;

/**
 * Turns to probe within one budget: each comes as long after the one before as a probe takes of the budget, going by
 * the last ones.
 */
export class Line {
  readonly #window: PacketWindow;
  #probeMs: number;
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor(window: PacketWindow) {
    this.#window = window;
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
  }

  /** Forgets who stood in it and what they took. */
  clear(): void {
    this.#probeMs = this.#msOf(PACKETS_A_PROBE);
    this.#freeAt = Number.NEGATIVE_INFINITY;
  }

  /** The next turn that is free, ms; any time that has passed means now. */
  get freeAt(): number {
    return this.#freeAt;
  }

  /** Gives that turn away, and says when it is. */
  take(now: number): number {
    const turn = Math.max(this.#freeAt, now);
    this.#freeAt = turn + this.#probeMs * SLACK;
    return turn;
  }

  /** Learns from a probe that ended. `heldMs`: how long it kept the next one out, whatever it sent. */
  learn(packets: number, heldMs: number): void {
    const took = Math.max(this.#msOf(packets), heldMs);
    this.#probeMs += (took - this.#probeMs) * WEIGHT;
  }

  #msOf(packets: number): number {
    return (packets * WINDOW_MS) / this.#window.packets;
  }
}
