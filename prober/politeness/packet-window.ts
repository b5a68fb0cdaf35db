/**
 * Length of the window, ms: a second and a margin. Network delays vary, and packets sent a second apart must
 * not arrive within one second.
 */
export const WINDOW_MS = 1050;

/** The first slots of a window. Most of a million addresses never need more. */
const FEW = Array.from({ length: 4 }, () => Number.NEGATIVE_INFINITY);

/** A sliding window: allows at most `packets` in any second by remembering when the last ones were sent. */
export class PacketWindow {
  /** Most packets within the window. */
  readonly packets: number;
  /** Times of the last packets, in a ring that starts at the oldest. It grows up to the limit when needed. */
  #sentAt: number[];
  #oldest = 0;

  constructor(packets: number) {
    this.packets = packets;
    this.#sentAt = FEW.slice(0, packets);
  }

  /** The time from which one more packet may be sent, ms; a time in the past means now. */
  nextAt(): number {
    return this.#sentAt.length < this.packets
      ? Number.NEGATIVE_INFINITY
      : this.#time(this.#oldest) + WINDOW_MS;
  }

  /** The time of the last packet, ms. */
  lastAt(): number {
    return this.#time((this.#oldest || this.#sentAt.length) - 1);
  }

  /** Records a packet sent at `now`. Times never run backwards. */
  record(now: number): void {
    if (this.#time(this.#oldest) + WINDOW_MS > now) this.#grow();
    this.#sentAt[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#sentAt.length;
  }

  /** Doubles the ring if its oldest time still counts. */
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
