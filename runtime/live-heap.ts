import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** A performance entry of type `gc` (Node, Performance measurement APIs). */
interface Collection extends PerformanceEntry {
  detail: { kind: number };
}

/**
 * The live heap: its used size after the last full garbage collection. Between collections the used size includes many
 * times as much garbage, and shows no leak.
 */
export class LiveHeap {
  /** Bytes; before the first full collection, the used size when this object was created. */
  bytes = getHeapStatistics().used_heap_size;
  readonly #observer = new PerformanceObserver(list => {
    for (const { detail } of list.getEntries() as Collection[]) {
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        this.bytes = getHeapStatistics().used_heap_size;
    }
  });

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  close(): void {
    this.#observer.disconnect();
  }
}
