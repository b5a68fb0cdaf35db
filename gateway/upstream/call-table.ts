import { CallerCalls } from './caller-calls.ts';
import type { PendingCall } from './pending-call.ts';

/**
 * An array of the calls that still wait for a result. The low bits of a call's id are the index of the call in the
 * array. With a Map instead of an array, the total pause time of the garbage collector is four times as long.
 */
export class CallTable {
  readonly #slots: (PendingCall | undefined)[];
  #lastId: number;
  #size = 0;
  #probeWaits = 0;
  /**
   * The number of calls of each caller. Defined only between `countCallers` and `stopCounting`, because counting takes
   * 0.3 µs for each call.
   */
  #callers: CallerCalls | undefined;

  /** `capacity`: maximum number of calls in this table. `lastId`: the ids of new calls start after this id. */
  constructor(capacity: number, lastId = 0) {
    this.#lastId = lastId;
    this.#slots = new Array(2 ** Math.ceil(Math.log2(capacity + 1))).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  /** Number of calls in progress, without the calls that wait for the probe of a game server. */
  get working(): number {
    return this.#size - this.#probeWaits;
  }

  /**
   * Returns a new 32-bit id for a call. Its low bits are the index of a free element in the array. The table must not
   * be full, because the search for a free element would then never end.
   */
  newId(): number {
    do this.#lastId = (this.#lastId + 1) >>> 0;
    while (this.#slots[this.#slotOf(this.#lastId)]);
    return this.#lastId;
  }

  /** Adds a call. The id of the call must be the value that `newId` returned last. */
  addCall(call: PendingCall): void {
    this.#slots[this.#slotOf(call.id)] = call;
    this.#size++;
    this.#callers?.addCall(call.caller);
    if (call.waitsForProbe) this.#probeWaits++;
  }

  /** Returns the call with this id. Returns undefined if the call already has a result or never existed. */
  findCall(id: number): PendingCall | undefined {
    const call = this.#slots[this.#slotOf(id)];
    return call?.id === id ? call : undefined;
  }

  /** Removes a call from the table. The call must be in the table. */
  removeCall(call: PendingCall): void {
    this.#slots[this.#slotOf(call.id)] = undefined;
    this.#size--;
    this.#callers?.removeCall(call.caller);
    if (call.waitsForProbe) this.#probeWaits--;
  }

  /** Returns the calls for which `matches` returns true, in no particular order. */
  filterCalls(matches: (call: PendingCall) => boolean): PendingCall[] {
    return this.#slots.filter(call => call !== undefined).filter(matches);
  }

  /**
   * Returns the number of open calls of each caller. The returned object stays up to date: each new or finished call
   * changes it, until `stopCounting` is called.
   */
  countCallers(): CallerCalls {
    if (this.#callers) return this.#callers;
    const callers = new CallerCalls();
    for (const call of this.filterCalls(() => true)) callers.addCall(call.caller);
    this.#callers = callers;
    return callers;
  }

  /**
   * Stops counting the calls of each caller. Call this method when nobody needs the counts of `countCallers` any more.
   */
  stopCounting(): void {
    this.#callers = undefined;
  }

  #slotOf(id: number): number {
    return id & (this.#slots.length - 1);
  }
}
