const SECOND = 1_000;

/**
 * Counts the packets to a simulated host or network in a sliding window of one second. `most` is the maximum count so
 * far.
 */
export class PacketRate {
  most = 0;
  readonly #times: number[] = [];

  note(now: number): void {
    const times = this.#times;
    while (times.length > 0 && (times[0] as number) <= now - SECOND) times.shift();
    times.push(now);
    if (times.length > this.most) this.most = times.length;
  }
}
