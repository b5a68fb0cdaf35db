/**
 * How far what is written of a server may lag behind, in seconds. A million servers that answer once a minute would
 * else be 10 MB of records to write and to compact every second, for what the next probe tells anyway.
 */
export const MOST_BEHIND_S = 300;
const FIRST_SLOTS = 1024;

const CURRENT = 0;
const BEHIND = 1;
const OWED = 2;

/** Which records changed since they were written, and when they were, by slot of the table. 5 bytes each. */
export class WriteBehind {
  /** Seconds since the Unix epoch. */
  #writtenAt = new Uint32Array(FIRST_SLOTS);
  #behind = new Uint8Array(FIRST_SLOTS);
  #owed = 0;

  /** How many records ought to have been written and could not be. */
  get owed(): number {
    return this.#owed;
  }

  /** Takes in a record read at boot: as if written within the time allowed, so that not all fall due at once. */
  loaded(slot: number, now: number): void {
    this.written(slot, now - (slot % MOST_BEHIND_S) * 1000);
  }

  /** The record is being written as it is now; `now` in milliseconds. */
  written(slot: number, now: number): void {
    if (slot >= this.#behind.length) this.#grow(slot);
    this.#writtenAt[slot] = now / 1000;
    this.#become(slot, CURRENT);
  }

  /** The record changed and could not be written; it is to be as soon as that can be. */
  owe(slot: number): void {
    this.#become(slot, OWED);
  }

  isOwed(slot: number): boolean {
    return this.#behind[slot] === OWED;
  }

  #become(slot: number, state: number): void {
    if (this.#behind[slot] === OWED) this.#owed--;
    if (state === OWED) this.#owed++;
    this.#behind[slot] = state;
  }

  /** The record changed. Whether it has to be written now, for having waited long enough. */
  changed(slot: number, now: number): boolean {
    const age = Math.floor(now / 1000) - (this.#writtenAt[slot] ?? 0);
    // A clock that was set back tells nothing.
    if (age >= MOST_BEHIND_S || age < 0 || this.isOwed(slot)) return true;
    this.#behind[slot] = BEHIND;
    return false;
  }

  /** The record is gone. */
  forget(slot: number): void {
    this.#become(slot, CURRENT);
  }

  /** Whether the record changed since it was written. */
  isBehind(slot: number): boolean {
    return this.#behind[slot] !== CURRENT;
  }

  #grow(slot: number): void {
    let length = this.#behind.length;
    while (length <= slot) length *= 2;
    const [writtenAt, behind] = [this.#writtenAt, this.#behind];
    this.#writtenAt = new Uint32Array(length);
    this.#writtenAt.set(writtenAt);
    this.#behind = new Uint8Array(length);
    this.#behind.set(behind);
  }
}
