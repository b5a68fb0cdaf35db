import type { RowOrder } from './row-order.ts';

/**
 * Collects the first rows of a sorted list. A binary heap contains the collected rows; its root is the row that comes
 * last in the list.
 */
export class TopRows {
  readonly #limit: number;
  readonly #order: RowOrder;
  readonly #heap: number[] = [];
  /**
   * Rank of the heap's root if the heap is full. While the heap is not full, infinity, so that rows of any rank are
   * collected.
   */
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
