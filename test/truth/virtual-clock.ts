import { setImmediate } from 'node:timers/promises';

interface Event {
  at: number;
  /**
   * Sequence number of an event of the virtual clock. Events at the same time run in the order in which they were
   * scheduled.
   */
  order: number;
  run: () => void;
}

/**
 * Number of virtual events after which the Node.js event loop runs once. Only then can LevelDB report finished writes.
 */
const EVENTS_A_TURN = 256;

/**
 * Virtual time of a simulation: a binary heap of events that run one after another without real waiting.
 * Times are in milliseconds.
 */
export class VirtualClock {
  now = 0;
  #heap: Event[] = [];
  #order = 0;
  #soon: (() => void)[] = [];

  at(time: number, run: () => void): void {
    const event = { at: Math.max(time, this.now), order: this.#order++, run };
    const heap = this.#heap;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as Event;
      if (!isBefore(event, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  after(ms: number, run: () => void): void {
    this.at(this.now + ms, run);
  }

  /** Runs a function every `ms` milliseconds of virtual time. Returns a function that cancels the interval. */
  every(ms: number, run: () => void): () => void {
    let ended = false;
    const again = (): void => {
      if (ended) return;
      run();
      this.after(ms, again);
    };
    this.after(ms, again);
    return () => {
      ended = true;
    };
  }

  /** Runs a function once at the current virtual time, after the current event and its promise callbacks. */
  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** Runs all scheduled events of the virtual clock up to the time `until`. */
  async run(until: number): Promise<void> {
    for (let count = 1; ; count++) {
      const event = this.#heap[0];
      if (!event || event.at > until) break;
      this.#removeFirst();
      this.now = event.at;
      event.run();
      // Runs the waiting promise callbacks before the virtual time advances.
      await undefined;
      while (this.#soon.length > 0) {
        for (const run of this.#soon.splice(0)) run();
        await undefined;
      }
      if (count % EVENTS_A_TURN === 0) await setImmediate();
    }
    this.now = until;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      const below = heap[child] as Event;
      if (!isBefore(below, last)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
