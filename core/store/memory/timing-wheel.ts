interface Bucket {
  /** Start time of this bucket of the timing wheel: the Unix time divided by the width of a bucket. */
  time: number;
  /**
   * `first` and `last`: the slots (numbers) of the first and the last server in this bucket of the timing wheel, plus
   * 1. Both are 0 if the bucket is empty.
   */
  first: number;
  last: number;
}

/**
 * Timing wheel: servers ordered by due time. A bucket contains the servers that are due at almost the same time. Each
 * server is represented by its slot, a small integer. Insertion and removal take constant time.
 */
export class TimingWheel {
  readonly #widthMs: number;
  /** Maps the start time of each bucket of the timing wheel to the index of the bucket in `#buckets`. */
  readonly #times = new Map<number, number>();
  /**
   * Buckets of the timing wheel, indexed by bucket number. A bucket whose number is in `#unused` has no servers and can
   * be reused.
   */
  readonly #buckets: Bucket[] = [];
  readonly #unused: number[] = [];
  /**
   * For each slot (number of a server): the next server in the same bucket of the timing wheel.
   *
   * - A positive value is the slot of the next server + 1.
   * - For the last server of a bucket, the value is -1 - bucket number.
   * - 0 means that the server is in no bucket.
   */
  #next = new Int32Array(1024);
  /**
   * For each slot (number of a server): the previous server in the same bucket of the timing wheel.
   *
   * - A positive value is the slot of the previous server + 1.
   * - For the first server of a bucket, the value is -1 - bucket number.
   * - 0 means that the server is in no bucket.
   */
  #previous = new Int32Array(1024);
  /** Lower bound of the start times of all buckets in the timing wheel, in bucket widths since the Unix epoch. */
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  /**
   * Inserts the server with this `slot` into the timing wheel. If the server is already in the wheel, moves it to its
   * new due time. `dueAt`: milliseconds since the Unix epoch.
   */
  put(slot: number, dueAt: number): void {
    this.remove(slot);
    if (slot >= this.#next.length) this.#grow(slot);
    const time = Math.floor(dueAt / this.#widthMs);
    const number = this.#times.get(time) ?? this.#open(time);
    const bucket = this.#buckets[number];
    if (!bucket) return;
    if (bucket.last > 0) this.#next[bucket.last - 1] = slot + 1;
    else bucket.first = slot + 1;
    this.#previous[slot] = bucket.last > 0 ? bucket.last : -1 - number;
    this.#next[slot] = -1 - number;
    bucket.last = slot + 1;
  }

  /** Removes the server with this `slot` from the timing wheel. Returns false if the server was not in the wheel. */
  remove(slot: number): boolean {
    const next = this.#next[slot] ?? 0;
    if (next === 0) return false;
    const previous = this.#previous[slot] ?? 0;
    const head = previous < 0 ? this.#buckets[-1 - previous] : undefined;
    const tail = next < 0 ? this.#buckets[-1 - next] : undefined;
    if (head) head.first = next;
    else this.#next[previous - 1] = next;
    if (tail) tail.last = previous;
    else this.#previous[next - 1] = previous;
    this.#next[slot] = 0;
    this.#previous[slot] = 0;
    if (head && tail) this.#close(head, -1 - next);
    return true;
  }

  /**
   * Removes at most `limit` servers that are due at the time `now` from the timing wheel, the earliest first. Returns
   * their slots.
   */
  takeDue(now: number, limit: number): number[] {
    const taken: number[] = [];
    const current = Math.min(Math.floor(now / this.#widthMs), this.#last);
    while (this.#first <= current) {
      const bucket = this.#buckets[this.#times.get(this.#first) ?? -1];
      while (bucket && bucket.first > 0) {
        if (taken.length >= limit) return taken;
        const slot = bucket.first - 1;
        taken.push(slot);
        this.remove(slot);
      }
      this.#first = this.#after(current);
    }
    return taken;
  }

  /**
   * Returns the start time with which `takeDue` continues after the start time `#first`, at most `current` + 1. Between
   * `#first` and the result, no start time has a bucket. `current`: the latest start time that is due. A start time is
   * the Unix time divided by the width of a bucket.
   */
  #after(current: number): number {
    const next = this.#first + 1;
    if (this.#times.has(next) || current - next <= this.#times.size) return next;
    // Looks at all buckets of the timing wheel. This is faster than trying each start time from `next` to `current`,
    // because the wheel has fewer buckets than there are start times in this range.
    let earliest = current + 1;
    for (const time of this.#times.keys()) if (time < earliest) earliest = time;
    return earliest;
  }

  #open(time: number): number {
    const number = this.#unused.pop() ?? this.#buckets.length;
    this.#buckets[number] = { time, first: 0, last: 0 };
    this.#times.set(time, number);
    if (time < this.#first) this.#first = time;
    if (time > this.#last) this.#last = time;
    return number;
  }

  #close(bucket: Bucket, number: number): void {
    bucket.first = 0;
    bucket.last = 0;
    this.#times.delete(bucket.time);
    this.#unused.push(number);
  }

  #grow(slot: number): void {
    const length = Math.max(slot + 1, this.#next.length * 2);
    const [next, previous] = [this.#next, this.#previous];
    this.#next = new Int32Array(length);
    this.#next.set(next);
    this.#previous = new Int32Array(length);
    this.#previous.set(previous);
  }
}
