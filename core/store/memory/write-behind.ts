/**
 * Maximum age of a stored record that differs from memory, in seconds. Writing each change immediately would cost 10
 * MB/s of writes and compaction for a million servers that are probed once a minute. Losing these changes is cheap,
 * because the next probe reports the same data.
 */
export const MOST_BEHIND_S = 300;
const FIRST_SLOTS = 1024;

const CURRENT = 0;
const BEHIND = 1;
const DIRTY = 2;

/** Tracks which records changed since their last write, and the time of that write. Needs 5 bytes per slot. */
export class WriteBehind {
  /** Time of the last write of each record, in seconds since the Unix epoch, keyed by the slot of the record. */
  #writtenAt = new Uint32Array(FIRST_SLOTS);
  #states = new Uint8Array(FIRST_SLOTS);
  #dirty = 0;

  /** Number of records whose write was refused. */
  get dirty(): number {
    return this.#dirty;
  }

  /**
   * Marks a record as loaded. Its last write gets an assumed time within the last MOST_BEHIND_S seconds. These times
   * are spread evenly over the records, so that not all records must be written again at the same time.
   */
  loaded(slot: number, now: number): void {
    this.written(slot, now - (slot % MOST_BEHIND_S) * 1000);
  }

  /** Marks the record as written in its current form. `now`: milliseconds since the Unix epoch. */
  written(slot: number, now: number): void {
    if (slot >= this.#states.length) this.#grow(slot);
    this.#writtenAt[slot] = now / 1000;
    this.#setState(slot, CURRENT);
  }

  /** Marks a record as dirty: its write was refused. It is written as soon as the engine accepts writes. */
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

  /**
   * Marks a record as changed. Returns true if the record has to be written immediately, because the stored record is
   * too old or an earlier write was refused.
   */
  changed(slot: number, now: number): boolean {
    const age = Math.floor(now / 1000) - (this.#writtenAt[slot] ?? 0);
    // A negative age of the stored record means that the clock was set back. The real age is then unknown, so the
    // record is written immediately.
    if (age >= MOST_BEHIND_S || age < 0 || this.isDirty(slot)) return true;
    this.#states[slot] = BEHIND;
    return false;
  }

  /** Clears the state of a slot whose server was removed. */
  forget(slot: number): void {
    this.#setState(slot, CURRENT);
  }

  /** True if the record changed since its last write. */
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
