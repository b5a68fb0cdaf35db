import { setImmediate } from 'node:timers/promises';

interface Event {
  at: number;
  /** Events of one instant run in the order they were set. */
  order: number;
  run: () => void;
}

/** Events between two turns of the real event loop, in which LevelDB tells what it has written. */
const EVENTS_A_TURN = 256;

/** Time of a simulation: events in a binary heap, run one after the other, without waiting. Times are in ms. */
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

  /** Runs every `ms` until the function it returns is called. */
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

  /** Runs once, at this very time, after what runs now. */
  soon(run: () => void): void {
    this.#soon.push(run);
  }

  /** Runs all events up to a time. */
  async run(until: number): Promise<void> {
    for (let count = 1; ; count++) {
      const event = this.#heap[0];
      if (!event || event.at > until) break;
      this.#removeFirst();
      this.now = event.at;
      event.run();
      // What waits for a promise goes on before time does.
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
