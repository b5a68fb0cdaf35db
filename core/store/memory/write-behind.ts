/**
 * How far the stored record of a server may lag behind, in seconds. Otherwise a million servers that answer once a minute
 * would be 10 MB of records to write and to compact every second, for what the next probe tells anyway.
 */
export const MOST_BEHIND_S = 300;
const FIRST_SLOTS = 1024;

const CURRENT = 0;
const BEHIND = 1;
const DIRTY = 2;

/** Which records changed since they were written, and when they were, by slot of the table: 5 bytes each. */
export class WriteBehind {
  /** Seconds since the Unix epoch. */
  #writtenAt = new Uint32Array(FIRST_SLOTS);
  #states = new Uint8Array(FIRST_SLOTS);
  #dirty = 0;

  /** How many records should have been written and could not be. */
  get dirty(): number {
    return this.#dirty;
  }

  /** A record was loaded. Counts as written some time within the last MOST_BEHIND_S, so that not all fall due at once. */
  loaded(slot: number, now: number): void {
    this.written(slot, now - (slot % MOST_BEHIND_S) * 1000);
  }

  /** The record is being written as it is; `now`: ms since the Unix epoch. */
  written(slot: number, now: number): void {
    if (slot >= this.#states.length) this.#grow(slot);
    this.#writtenAt[slot] = now / 1000;
    this.#setState(slot, CURRENT);
  }

  /** The record changed and could not be written: it is due as soon as writes are accepted. */
  markDirty(slot: number): void {
    this.#setState(slot, DIRTY);
  }

  isDirty(slot: number): boolean {
    return this.#states[slot] === DIRTY;
  }

  #setState(slot: number, state: number): void {
    if (this.#states[slot] === DIRTY) this.#dirty--;
    if (state === DIRTY) this.#dirty++;
    this.#states[slot] = state;
  }

  /** The record changed. Returns whether it has to be written now, because what is stored is too old. */
  changed(slot: number, now: number): boolean {
    const age = Math.floor(now / 1000) - (this.#writtenAt[slot] ?? 0);
    // A negative age means that the clock was set back: then the age is unknown.
    if (age >= MOST_BEHIND_S || age < 0 || this.isDirty(slot)) return true;
    this.#states[slot] = BEHIND;
    return false;
  }

  /** The server is removed. */
  forget(slot: number): void {
    this.#setState(slot, CURRENT);
  }

  /** Whether the record changed since it was written. */
  isBehind(slot: number): boolean {
    return this.#states[slot] !== CURRENT;
  }

  #grow(slot: number): void {
    let length = this.#states.length;
    while (length <= slot) length *= 2;
    const [writtenAt, states] = [this.#writtenAt, this.#states];
    this.#writtenAt = new Uint32Array(length);
    this.#writtenAt.set(writtenAt);
    this.#states = new Uint8Array(length);
    this.#states.set(states);
  }
}
