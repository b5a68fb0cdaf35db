/**
 * A second, and a little: paths delay one packet more than the next, and what left a second apart must not arrive
 * within one.
 */
export const WINDOW_MS = 1050;

/** Lets no more than so many packets go in any second: it remembers when the last ones went. */
export class PacketWindow {
  readonly #sentAt: number[];
  #oldest = 0;

  constructor(packets: number) {
    this.#sentAt = new Array<number>(packets).fill(Number.NEGATIVE_INFINITY);
  }

  get packets(): number {
    return this.#sentAt.length;
  }

  /** From when on one more may go, ms; any time that has passed means now. */
  nextAt(): number {
    return this.#time(this.#oldest) + WINDOW_MS;
  }

  /** When the last one went. */
  lastAt(): number {
    return this.#time((this.#oldest + this.packets - 1) % this.packets);
  }

  /** Notes that one goes now; times never run backwards. */
  record(now: number): void {
    this.#sentAt[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.packets;
  }

  #time(index: number): number {
    return this.#sentAt[index] ?? Number.NEGATIVE_INFINITY;
  }
}
