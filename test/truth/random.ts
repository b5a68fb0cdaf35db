/** Generator of random numbers. The same seed gives the same numbers on every run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Returns a random number in [0, 1), by the algorithm mulberry32. */
  readonly unit = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  between(least: number, most: number): number {
    return least + this.unit() * (most - least);
  }

  /**
   * Returns a random time from one event to the next, for independent events (exponential distribution). `mean`: the
   * mean of these times.
   */
  gap(mean: number): number {
    return -mean * Math.log(1 - this.unit());
  }

  /** Returns `count` random elements of a list, in random order. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    return Array.from({ length: Math.min(count, left.length) }, () => {
      const [taken] = left.splice(Math.floor(this.unit() * left.length), 1);
      return taken as T;
    });
  }
}
