/** An object that can be an entry of a `WakeHeap`. Only the heap changes the fields of this interface. */
export interface Sleeper {
  /**
   * Time at which this entry of the heap (priority queue) is due, Unix ms. Example: the next check of a webhook
   * condition.
   */
  wakeAt: number;
  /** Index of this entry in the array of the heap; -1 if the entry is not in the heap. */
  heapIndex: number;
}

/** Indexed binary heap of objects, ordered by the time at which each is due. An object has at most one entry. */
export class WakeHeap<T extends Sleeper> {
  readonly #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** Adds an object that is due at `wakeAt` (Unix ms). If the object is already in the heap, moves it. */
  schedule(sleeper: T, wakeAt: number): void {
    sleeper.wakeAt = wakeAt;
    if (sleeper.heapIndex < 0) this.#put(this.#heap.length, sleeper);
    this.#restore(sleeper);
  }

  /** Removes an object. Does nothing if it is not in the heap. */
  remove(sleeper: T): void {
    const { heapIndex } = sleeper;
    if (heapIndex < 0) return;
    sleeper.heapIndex = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === sleeper) return;
    this.#put(heapIndex, last);
    this.#restore(last);
  }

  /** Removes and returns the object that is due first. Returns undefined if none is due at `now` (Unix ms). */
  takeDue(now: number): T | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.wakeAt > now) return undefined;
    this.remove(first);
    return first;
  }

  /** Moves an object up or down until the order of the heap is right again. */
  #restore(sleeper: T): void {
    let index = sleeper.heapIndex;
    for (;;) {
      const parent = (index - 1) >> 1;
      const above = index > 0 ? this.#heap[parent] : undefined;
      if (above === undefined || above.wakeAt <= sleeper.wakeAt) break;
      this.#put(index, above);
      index = parent;
    }
    for (;;) {
      const child = this.#earlierChild(index);
      if (child === undefined || child.wakeAt >= sleeper.wakeAt) break;
      const { heapIndex } = child;
      this.#put(index, child);
      index = heapIndex;
    }
    this.#put(index, sleeper);
  }

  #earlierChild(index: number): T | undefined {
    const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]];
    return left !== undefined && right !== undefined && right.wakeAt < left.wakeAt ? right : left;
  }

  #put(index: number, sleeper: T): void {
    this.#heap[index] = sleeper;
    sleeper.heapIndex = index;
  }
}
