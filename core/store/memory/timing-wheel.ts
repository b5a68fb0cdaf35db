interface Bucket {
  /** Its time, in widths. */
  time: number;
  /** Slots, counted from 1. */
  first: number;
  last: number;
}

/**
 * Timing wheel: slots (small integers) by the time they are due, in buckets of a fixed width. Inserting and removing take
 * constant time. Order within a bucket is that of insertion. Each slot is in one bucket at most: a bucket is a doubly
 * linked list through two numbers a slot.
 */
export class TimingWheel {
  readonly #widthMs: number;
  /** Numbers of buckets by their time. */
  readonly #times = new Map<number, number>();
  /** By number; those in `#unused` are empty. */
  readonly #buckets: Bucket[] = [];
  readonly #unused: number[] = [];
  /** The next slot in the bucket, counted from 1; of the last one -1 minus the number of its bucket; 0 if not in one. */
  #next = new Int32Array(1024);
  /** The previous slot in the bucket, in the same form. */
  #previous = new Int32Array(1024);
  /** No bucket before this one holds anything. */
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  /** Inserts a slot, or moves it. `dueAt`: ms since the Unix epoch. */
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

  /** Removes a slot. Returns whether it was in the wheel. */
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

  /** Removes and returns at most `limit` slots of the buckets that began by `now`, earliest first. */
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

  /** The time to look at behind `#first`; over a gap with fewer buckets than widths, the earliest bucket. */
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
