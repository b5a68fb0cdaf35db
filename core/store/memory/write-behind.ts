/**
 * Longest time that a stored record can be outdated, in seconds. For a million servers that are probed once a minute,
 * writing each change immediately would cost 10 MB/s of writes and compaction. Losing these changes is cheap, because
 * the next probe reports the same data.
 */
export const MOST_BEHIND_S = 300;
const FIRST_SLOTS = 1024;

const CURRENT = 0;
const BEHIND = 1;
const DIRTY = 2;

/**
 * Tracks for each server whether its stored record is outdated, and when that record was written. Needs 5 bytes per
 * server. A server is identified by its slot, the index in the server table.
 */
export class WriteBehind {
  /** Time at which the stored record of each server was written, in seconds since the Unix epoch. Indexed by slot. */
  #writtenAt = new Uint32Array(FIRST_SLOTS);
  #states = new Uint8Array(FIRST_SLOTS);
  #dirty = 0;

  /** Number of server records whose write the storage engine refused. */
  get dirty(): number {
    return this.#dirty;
  }

  /**
   * Notes that the record of a server was loaded. The real time of its last write is unknown, so the record gets an
   * assumed time within the last MOST_BEHIND_S seconds. The assumed times of all servers are spread evenly. Otherwise
   * all records would be written again at the same time.
   */
  loaded(slot: number, now: number): void {
    this.written(slot, now - (slot % MOST_BEHIND_S) * 1000);
  }

  /**
   * Notes that the current record of the server with this `slot` is stored. `now`: time of the write, in milliseconds
   * since the Unix epoch.
   */
  written(slot: number, now: number): void {
    if (slot >= this.#states.length) this.#grow(slot);
    this.#writtenAt[slot] = now / 1000;
    this.#setState(slot, CURRENT);
  }

  /**
   * Marks the record of the server with this `slot` as dirty, because the storage engine refused to write it. A dirty
   * record is written as soon as the engine accepts writes.
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
   * Notes that the record of a server changed. Returns true if the record must be written immediately: the stored
   * record is too old, or an earlier write was refused.
   */
  changed(slot: number, now: number): boolean {
    const age = Math.floor(now / 1000) - (this.#writtenAt[slot] ?? 0);
    // If the clock was set back, the age of the stored record is negative. Its real age is then unknown, so the record
    // is written immediately.
    if (age >= MOST_BEHIND_S || age < 0 || this.isDirty(slot)) return true;
    this.#states[slot] = BEHIND;
    return false;
  }

  /** Notes that the stored record of the server with this `slot` is older than its record in memory. */
  markBehind(slot: number): void {
    if (!this.isDirty(slot)) this.#states[slot] = BEHIND;
  }

  /**
   * Forgets whether the record of this server must be written. Call this method when the server with this `slot` is
   * removed.
   */
  forget(slot: number): void {
    this.#setState(slot, CURRENT);
  }

  /** True if the stored record of the server with this `slot` is older than its record in memory. */
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
