import type { RowOrder } from './row-order.ts';

/**
 * Collects the first rows of a sorted list of search results. Each row of the search index is one server. The collected
 * rows form a binary heap, with the last row at the root.
 */
export class TopRows {
  readonly #limit: number;
  readonly #order: RowOrder;
  /** Row number of the last server on the previous page of search results; -1 for the first page. */
  readonly #after: number;
  readonly #afterRank: number;
  readonly #heap: number[] = [];
  /**
   * Element i is the rank of the row `#heap[i]`. A rank is a number by which the list of search results is sorted
   * (`RowOrder`).
   */
  readonly #ranks: number[] = [];

  /**
   * `limit`: maximum number of servers to collect. `after`: row number of the server just before this page of search
   * results; -1 for the first page.
   */
  constructor(limit: number, order: RowOrder, after: number) {
    this.#limit = limit;
    this.#order = order;
    this.#after = after;
    this.#afterRank = after < 0 ? Number.NEGATIVE_INFINITY : rankOf(order, after);
  }

  /**
   * Offers rows to the heap. The heap keeps only the rows of this page of search results: the first `limit` rows after
   * the previous page. `count`: number of elements of `rows` that are valid. `ranks[i]`: rank of `rows[i]`.
   */
  offerRows(rows: Uint32Array, count: number, ranks: Float64Array): void {
    const afterRank = this.#afterRank;
    let most = this.#mostRank();
    for (let i = 0; i < count; i++) {
      const rank = ranks[i] as number;
      if (rank > most || rank < afterRank) continue;
      const row = rows[i] as number;
      if (rank === afterRank && this.#order.compareTexts(row, this.#after) <= 0) continue;
      if (this.#addRow(row, rank)) most = this.#mostRank();
    }
  }

  /** Returns the collected rows of the search index (one server each), sorted like the list of search results. */
  sorted(): number[] {
    const indexes = this.#heap.map((_, index) => index);
    return indexes.sort((a, b) => this.#compare(a, b)).map(index => this.#heap[index] as number);
  }

  /**
   * Returns the highest rank that a new row can have to enter the heap. If the heap is full, this is the rank of its
   * last row. Otherwise it is Infinity, because every row can enter.
   */
  #mostRank(): number {
    return this.#heap.length < this.#limit ? Number.POSITIVE_INFINITY : (this.#ranks[0] as number);
  }

  /**
   * Adds a row to the heap of search results. If the heap is full, drops the row that comes last. Returns false if the
   * new row itself is dropped.
   */
  #addRow(row: number, rank: number): boolean {
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push(row);
      this.#ranks.push(rank);
      this.#rise(heap.length - 1);
      return true;
    }
    const order = rank - (this.#ranks[0] as number) || this.#order.compareTexts(row, heap[0] as number);
    if (order >= 0) return false;
    heap[0] = row;
    this.#ranks[0] = rank;
    this.#sink();
    return true;
  }

  #compare(a: number, b: number): number {
    const heap = this.#heap;
    return (
      (this.#ranks[a] as number) - (this.#ranks[b] as number) ||
      this.#order.compareTexts(heap[a] as number, heap[b] as number)
    );
  }

  #rise(from: number): void {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (this.#compare(parent, i) >= 0) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #sink(): void {
    for (let i = 0; ; ) {
      let last = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < this.#heap.length && this.#compare(child, last) > 0) last = child;
      if (last === i) return;
      this.#swap(i, last);
      i = last;
    }
  }

  #swap(a: number, b: number): void {
    for (const column of [this.#heap, this.#ranks]) {
      const kept = column[a] as number;
      column[a] = column[b] as number;
      column[b] = kept;
    }
  }
}

function rankOf(order: RowOrder, row: number): number {
  const ranks = new Float64Array(1);
  order.rankRows(Uint32Array.of(row), 1, ranks);
  return ranks[0] as number;
}
