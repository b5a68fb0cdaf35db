const SECOND = 1_000;

/** Finds the most packets within any one second, with a sliding window of send times. */
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
