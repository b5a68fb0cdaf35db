/**
 * Longest time in seconds for which the stored record of a server can be older than its record in memory. Writing each
 * change at once would cause too many writes: 10 MB/s for a million servers, each probed once a minute.
 */
export const MOST_BEHIND_S = 300;
const FIRST_SLOTS = 1024;

const CURRENT = 0;
const BEHIND = 1;
const DIRTY = 2;

/**
 * Tracks for each server whether its stored record is outdated, and when the record was written. A server is given by
 * its slot (row in the server table). Needs 5 bytes for each slot.
 */
export class WriteBehind {
  readonly #phaseOf: (slot: number) => number;
  /**
   * Time at which the stored record of each server was written, in seconds since the Unix epoch. The array index is the
   * slot (index of the server in the server table).
   */
  #writtenAt = new Uint32Array(FIRST_SLOTS);
  #states = new Uint8Array(FIRST_SLOTS);
  #dirty = 0;

  /**
   * `phaseOf`: returns the phase of a server: whole seconds, from 0 to MOST_BEHIND_S - 1. A changed record is written
   * once in each write period of MOST_BEHIND_S seconds. Servers with different phases have write periods with different
   * starts, so that not all records are written at the same time.
   */
  constructor(phaseOf: (slot: number) => number) {
    this.#phaseOf = phaseOf;
  }

  /** Number of server records whose write the storage engine refused. */
  get dirty(): number {
    return this.#dirty;
  }

  /**
   * Call this when the current record of a server is stored. `slot`: index of the server in the server table. `now`:
   * time of the write, in milliseconds since the Unix epoch.
   */
  written(slot: number, now: number): void {
    if (slot >= this.#states.length) this.#grow(slot);
    this.#writtenAt[slot] = now / 1000;
    this.#setState(slot, CURRENT);
  }

  /**
   * Marks the record of a server as dirty: the storage engine refused to write it, and it must be written soon. `slot`:
   * row of the server in the server table.
   */
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
   * Call this method when the record of a server has changed. Returns true if the record must be written immediately,
   * because it was not written in the current write period, or because its last write was refused. `now`: Unix ms.
   */
  changed(slot: number, now: number): boolean {
    const phase = this.#phaseOf(slot);
    // True if the record was not written in the current write period. Compares with `!==`, because the last write can
    // be in a later period if the clock was set back.
    const isNewPeriod = periodAt(now / 1000, phase) !== periodAt(this.#writtenAt[slot] ?? 0, phase);
    if (isNewPeriod || this.isDirty(slot)) return true;
    this.#states[slot] = BEHIND;
    return false;
  }

  /**
   * Notes that the stored record of a server is older than its record in memory. `slot`: index of the server in the
   * server table.
   */
  markBehind(slot: number): void {
    if (!this.isDirty(slot)) this.#states[slot] = BEHIND;
  }

  /**
   * Forgets whether the record of a server must be written. Call this method when the server is removed. `slot`: index
   * of the server in the server table.
   */
  forget(slot: number): void {
    this.#setState(slot, CURRENT);
  }

  /**
   * True if the stored record of a server is older than its record in memory. `slot`: index of the server in the server
   * table.
   */
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

/**
 * Returns the index of the write period that contains the time `seconds` (since the Unix epoch). Write periods last
 * MOST_BEHIND_S seconds. If `phase` is 0, they begin at the multiples of MOST_BEHIND_S. Otherwise they begin `phase`
 * seconds earlier.
 */
function periodAt(seconds: number, phase: number): number {
  return Math.floor((seconds + phase) / MOST_BEHIND_S);
}
