/**
 * Keys by the time they are due, in buckets of a fixed width: putting in and taking out cost the same whatever the
 * number held. Order within one bucket is that of insertion.
 */
export class DueWheel {
  readonly #widthMs: number;
  readonly #buckets = new Map<number, string[]>();
  /** No bucket before this one holds anything. */
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  put(key: string, dueAt: number): void {
    const slot = Math.floor(dueAt / this.#widthMs);
    const bucket = this.#buckets.get(slot);
    if (bucket) bucket.push(key);
    else this.#buckets.set(slot, [key]);
    if (slot < this.#first) this.#first = slot;
    if (slot > this.#last) this.#last = slot;
  }

  /** The slot to look at behind `#first`; over a gap with fewer buckets than slots, the earliest bucket. */
  #next(current: number): number {
    const next = this.#first + 1;
    if (this.#buckets.has(next) || current - next <= this.#buckets.size) return next;
    let earliest = current + 1;
    for (const slot of this.#buckets.keys()) if (slot < earliest) earliest = slot;
    return earliest;
  }

  /** Takes out at most `limit` keys of the buckets that began by `now`, earliest first. */
  takeDue(now: number, limit: number): string[] {
    const taken: string[] = [];
    const current = Math.min(Math.floor(now / this.#widthMs), this.#last);
    while (this.#first <= current && taken.length < limit) {
      const bucket = this.#buckets.get(this.#first) ?? [];
      const room = limit - taken.length;
      if (bucket.length > room) {
        taken.push(...bucket.splice(0, room));
        break;
      }
      for (const key of bucket) taken.push(key);
      this.#buckets.delete(this.#first);
      this.#first = this.#next(current);
    }
    return taken;
  }
}
