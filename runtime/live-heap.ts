import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** A performance entry of type `gc` (Node documentation, "Performance measurement APIs"). */
interface Collection extends PerformanceEntry {
  detail: { kind: number };
}

/**
 * Measures the size of the live heap: the used heap after the last full garbage collection. At all other times, the
 * used heap contains much garbage, which would hide a memory leak.
 */
export class LiveHeap {
  /**
   * Size of the live heap, in bytes. Before the first full garbage collection: the used heap at the creation of this
   * object.
   */
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
