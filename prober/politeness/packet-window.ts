/**
 * Length of the sliding window in which sent packets are counted, ms: one second and a margin. The margin is needed
 * because network delays vary: packets that are sent one second apart can arrive within less than a second.
 */
export const WINDOW_MS = 1050;

/**
 * Initial ring buffer for the send times of packets to one address. Its 4 entries are enough for nearly all addresses.
 */
const FEW = Array.from({ length: 4 }, () => Number.NEGATIVE_INFINITY);

/** Sliding window that allows at most `packets` packets per second. It stores the send times of the last packets. */
export class PacketWindow {
  /** Maximum number of packets that may be sent within WINDOW_MS. */
  readonly packets: number;
  /** Send times of the last packets, ms. The array is a ring buffer that grows when needed, up to `packets` entries. */
  #sentAt: number[];
  #oldest = 0;

  constructor(packets: number) {
    this.packets = packets;
    this.#sentAt = FEW.slice(0, packets);
  }

  /**
   * Returns the earliest time at which the packet limit (at most `packets` in the sliding window) allows another
   * packet, ms. If this time has passed, a packet is allowed now.
   */
  nextAt(): number {
    return this.#sentAt.length < this.packets
      ? Number.NEGATIVE_INFINITY
      : this.#time(this.#oldest) + WINDOW_MS;
  }

  /** Returns the send time of the last packet, ms. */
  lastAt(): number {
    return this.#time((this.#oldest || this.#sentAt.length) - 1);
  }

  /**
   * Records a packet that is sent at `now`, ms. `now` must not be earlier than the send time of the previous packet.
   */
  record(now: number): void {
    if (this.#time(this.#oldest) + WINDOW_MS > now) this.#grow();
    this.#sentAt[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#sentAt.length;
  }

  /**
   * Doubles the ring buffer of send times, up to `packets` entries. Called if all stored send times are still inside
   * the sliding window: none of them may be overwritten.
   */
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
