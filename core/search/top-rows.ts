import type { RowOrder } from './row-order.ts';

/** Collects the first rows of a sorted list: a binary heap whose root is the last of the collected rows. */
export class TopRows {
  readonly #limit: number;
  readonly #order: RowOrder;
  readonly #heap: number[] = [];
  /** Rank of the root when the heap is full. Until then, rows of all ranks are collected. */
  #lastRank = Number.POSITIVE_INFINITY;

  constructor(limit: number, order: RowOrder) {
    this.#limit = limit;
    this.#order = order;
  }

  offerRow(row: number, rank: number): void {
    if (rank > this.#lastRank) return;
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push(row);
      this.#rise(heap.length - 1);
    } else if (this.#compare(row, heap[0] as number) < 0) {
      heap[0] = row;
      this.#sink();
    } else return;
    if (heap.length === this.#limit) this.#lastRank = this.#order.rank(heap[0] as number);
  }

  /** Returns the collected rows in the order of the list. */
  sorted(): number[] {
    return this.#heap.sort((a, b) => this.#compare(a, b));
  }

  #compare(a: number, b: number): number {
    return this.#order.rank(a) - this.#order.rank(b) || this.#order.compareTexts(a, b);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (this.#compare(heap[parent] as number, heap[i] as number) >= 0) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let i = 0; ; ) {
      let last = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < heap.length && this.#compare(heap[child] as number, heap[last] as number) > 0)
          last = child;
      }
      if (last === i) return;
      this.#swap(i, last);
      i = last;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    const kept = heap[a] as number;
    heap[a] = heap[b] as number;
    heap[b] = kept;
  }
}
