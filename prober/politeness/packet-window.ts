/**
 * A second, and a little: paths delay one packet more than the next, and what left a second apart must not arrive
 * within one.
 */
export const WINDOW_MS = 1050;

/** Places to begin with. Most addresses and networks are never sent more at a time, and there are a million of them. */
const FEW = Array.from({ length: 4 }, () => Number.NEGATIVE_INFINITY);

/** Lets no more than so many packets go in any second: it remembers when the last ones went. */
export class PacketWindow {
  /** May go within the window. */
  readonly packets: number;
  /** In the order they went, from the oldest around; as many as went within one window so far. */
  #sentAt: number[];
  #oldest = 0;

  constructor(packets: number) {
    this.packets = packets;
    this.#sentAt = FEW.slice(0, packets);
  }

  /** From when on one more may go, ms; any time that has queuesPassed means now. */
  nextAt(): number {
    return this.#sentAt.length < this.packets
      ? Number.NEGATIVE_INFINITY
      : this.#time(this.#oldest) + WINDOW_MS;
  }

  /** When the last one went. */
  lastAt(): number {
    return this.#time((this.#oldest || this.#sentAt.length) - 1);
  }

  /** Notes that one goes now; times never run backwards. */
  record(now: number): void {
    if (this.#time(this.#oldest) + WINDOW_MS > now) this.#grow();
    this.#sentAt[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#sentAt.length;
  }

  /** Makes room where the oldest still counts. */
  #grow(): void {
    const { length } = this.#sentAt;
    const more = Math.min(length, this.packets - length);
    if (more <= 0) return;
    const inOrder = [...this.#sentAt.slice(this.#oldest), ...this.#sentAt.slice(0, this.#oldest)];
    this.#sentAt = [...new Array<number>(more).fill(Number.NEGATIVE_INFINITY), ...inOrder];
    this.#oldest = 0;
  }

  #time(index: number): number {
    return this.#sentAt[index] ?? Number.NEGATIVE_INFINITY;
  }
}
