/** An object in a `WakeHeap`. `wakeAt` must not become earlier while the object is in the heap. */
export interface Sleeper {
  /** Unix ms. */
  wakeAt: number;
}

/** Binary heap (priority queue) of objects, ordered by the time at which each object must be handled. */
export class WakeHeap<T extends Sleeper> {
  readonly #heap: T[] = [];
  readonly #times: number[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(sleeper: T): void {
    let at = this.#heap.length;
    this.#heap.push(sleeper);
    this.#times.push(sleeper.wakeAt);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#timeAt(parent) <= this.#timeAt(at)) return;
      this.#swap(parent, at);
      at = parent;
    }
  }

  /**
   * Removes and returns the object with the earliest time. Returns undefined if the heap is empty or this time is after
   * `now`.
   */
  takeDue(now: number): T | undefined {
    if (this.#heap.length === 0 || this.#timeAt(0) > now) return undefined;
    this.#swap(0, this.#heap.length - 1);
    const taken = this.#heap.pop();
    this.#times.pop();
    this.#sink();
    return taken;
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (this.#timeAt(child) < this.#timeAt(least)) least = child;
      if (least === at) return;
      this.#swap(least, at);
      at = least;
    }
  }

  #timeAt(at: number): number {
    return this.#times[at] ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    const [time, otherTime] = [this.#timeAt(a), this.#timeAt(b)];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
    this.#times[a] = otherTime;
    this.#times[b] = time;
  }
}
