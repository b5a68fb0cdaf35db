interface Bucket {
  /** Start time of the bucket: the time since the Unix epoch, divided by the bucket width. */
  time: number;
  /** First and last slot of the bucket, counted from 1; 0 if the bucket is empty. */
  first: number;
  last: number;
}

/**
 * Timing wheel: sorts slots (small integers) by their due time into buckets of a fixed width. Insertion and removal
 * take constant time. Slots in the same bucket keep the order of their insertion. Each slot is in at most one bucket. A
 * bucket is a doubly linked list, which needs two numbers per slot.
 */
export class TimingWheel {
  readonly #widthMs: number;
  /** Bucket numbers, keyed by start time. */
  readonly #times = new Map<number, number>();
  /** Buckets by their number. The buckets whose numbers are in `#unused` are empty. */
  readonly #buckets: Bucket[] = [];
  readonly #unused: number[] = [];
  /**
   * The next slot of the same bucket, counted from 1. For the last slot of a bucket: -1 minus the bucket number. 0 if
   * the slot is in no bucket.
   */
  #next = new Int32Array(1024);
  /** The previous slot of the same bucket, encoded like `#next`. */
  #previous = new Int32Array(1024);
  /** Lower bound of the start times of all buckets. */
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  /** Inserts a slot, or moves it if it is in the wheel. `dueAt`: milliseconds since the Unix epoch. */
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

  /** Removes a slot. Returns false if it was not in the wheel. */
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

  /** Removes and returns up to `limit` slots of the buckets that started at or before `now`, earliest bucket first. */
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
   * Returns the new value of `#first` after the bucket at `#first` became empty. Usually this is `#first + 1`. If the
   * start times up to `current` outnumber the buckets, returns the start time of the earliest bucket instead, but at
   * most `current + 1`.
   */
  #after(current: number): number {
    const next = this.#first + 1;
    if (this.#times.has(next) || current - next <= this.#times.size) return next;
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
