import type { PendingCall } from './pending-call.ts';

/**
 * The calls that are not settled, by id. Not a Map: a Map that is filled and emptied all the time leaves its former tables
 * behind, each of which refers to the next; once one is old, V8 takes all that follow, and the calls in them, for alive
 * until its next full collection (measured: a sixth of all that is allocated, and four times the pauses).
 */
export class CallTable {
  readonly #places: (PendingCall | undefined)[];
  #lastId: number;
  #size = 0;

  /** Room for `calls` at once; ids are given from the one behind `lastId` on. */
  constructor(calls: number, lastId = 0) {
    this.#lastId = lastId;
    this.#places = new Array(2 ** Math.ceil(Math.log2(calls + 1))).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  /** An id, of 32 bits, that no call in here has and none had lately. There must be room. */
  newId(): number {
    do this.#lastId = (this.#lastId + 1) >>> 0;
    while (this.#places[this.#place(this.#lastId)]);
    return this.#lastId;
  }

  /** Puts in a call whose id is the one given last. */
  add(call: PendingCall): void {
    this.#places[this.#place(call.id)] = call;
    this.#size++;
  }

  /** The call of an id; undefined where it is settled, or there never was one. */
  find(id: number): PendingCall | undefined {
    const call = this.#places[this.#place(id)];
    return call?.id === id ? call : undefined;
  }

  /** Takes out a call that is in. */
  remove(call: PendingCall): void {
    this.#places[this.#place(call.id)] = undefined;
    this.#size--;
  }

  /** The calls for which `chosen` holds, in no order. */
  filter(chosen: (call: PendingCall) => boolean): PendingCall[] {
    return this.#places.filter(call => call !== undefined).filter(chosen);
  }

  #place(id: number): number {
    return id & (this.#places.length - 1);
  }
}
