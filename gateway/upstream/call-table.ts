import type { PendingCall } from './pending-call.ts';

/**
 * The unsettled calls by id, in an array whose length is a power of two: the low bits of an id are its slot.
 *
 * Replaces a Map. A Map that is filled and emptied all the time leaves its former tables behind, each of which refers to the
 * next; once one is old, V8 keeps every following table and its calls alive until the next full collection. Measured: a
 * sixth of all allocated memory, and four times the garbage collection pauses.
 */
export class CallTable {
  readonly #slots: (PendingCall | undefined)[];
  #lastId: number;
  #size = 0;
  #probeWaits = 0;

  /** `capacity`: most calls at once; the first new id is the one after `lastId`. */
  constructor(capacity: number, lastId = 0) {
    this.#lastId = lastId;
    this.#slots = new Array(2 ** Math.ceil(Math.log2(capacity + 1))).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  /** Calls that the core is working on: all but those that wait for a probe. */
  get working(): number {
    return this.#size - this.#probeWaits;
  }

  /** A 32-bit id whose slot is free. The table must not be full. */
  newId(): number {
    do this.#lastId = (this.#lastId + 1) >>> 0;
    while (this.#slots[this.#slotOf(this.#lastId)]);
    return this.#lastId;
  }

  /** Adds a call whose id is the last one that `newId` returned. */
  addCall(call: PendingCall): void {
    this.#slots[this.#slotOf(call.id)] = call;
    this.#size++;
    if (call.waitsForProbe) this.#probeWaits++;
  }

  /** The call with this id; undefined if it is settled or never existed. */
  findCall(id: number): PendingCall | undefined {
    const call = this.#slots[this.#slotOf(id)];
    return call?.id === id ? call : undefined;
  }

  /** Removes a call that is in the table. */
  removeCall(call: PendingCall): void {
    this.#slots[this.#slotOf(call.id)] = undefined;
    this.#size--;
    if (call.waitsForProbe) this.#probeWaits--;
  }

  /** The calls for which `matches` returns true, in no order. */
  filterCalls(matches: (call: PendingCall) => boolean): PendingCall[] {
    return this.#slots.filter(call => call !== undefined).filter(matches);
  }

  #slotOf(id: number): number {
    return id & (this.#slots.length - 1);
  }
}
