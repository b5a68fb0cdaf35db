import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** An entry of type `gc` (Node, Performance measurement APIs). */
interface Collection extends PerformanceEntry {
  detail: { kind: number };
}

/**
 * What is alive in the heap: how much it held when V8 had last collected all of it. What a heap holds in between goes up
 * and down by many times as much, and tells nothing of a leak.
 */
export class LiveHeap {
  /** Until the first full collection what the heap held when this was made. */
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
