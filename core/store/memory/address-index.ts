import { NOWHERE } from './arena.ts';

/**
 * Hash table from server addresses to the positions of server records in the arena (open addressing, linear probing). A
 * look-up costs two cache misses. An empty entry has the position NOWHERE.
 */
export class AddressIndex {
  /**
   * The hash table as a flat array. Each hash table entry takes two numbers: a hash, and the position of a record.
   * `ServerTable.find` reads this array directly.
   */
  entries: Int32Array = new Int32Array(2 * 1024);
  #size = 0;

  addPosition(hash: number, position: number): void {
    this.#size++;
    if (this.#size * 8 > this.entries.length * 3) this.#grow();
    this.#enter(hash, position);
  }

  /**
   * Changes the position of a server record in the hash table from `from` to `to`. Call this method after the arena
   * (memory for records) has moved the record.
   */
  move(hash: number, from: number, to: number): void {
    this.entries[2 * this.#entryOf(hash, from) + 1] = to;
  }

  /**
   * Removes a hash table entry. Then moves later entries into the gap, because a look-up stops at the first empty
   * entry.
   */
  remove(hash: number, position: number): void {
    const { entries } = this;
    const mask = entries.length / 2 - 1;
    let hole = this.#entryOf(hash, position);
    for (let i = (hole + 1) & mask; entries[2 * i + 1] !== NOWHERE; i = (i + 1) & mask) {
      const home = (entries[2 * i] ?? 0) & mask;
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      entries.copyWithin(2 * hole, 2 * i, 2 * i + 2);
      hole = i;
    }
    entries[2 * hole + 1] = NOWHERE;
    this.#size--;
  }

  #enter(hash: number, position: number): void {
    const { entries } = this;
    const mask = entries.length / 2 - 1;
    let i = hash & mask;
    while (entries[2 * i + 1] !== NOWHERE) i = (i + 1) & mask;
    entries[2 * i] = hash;
    entries[2 * i + 1] = position;
  }

  /** Returns the index of the entry that contains this hash and this record position. The entry must exist. */
  #entryOf(hash: number, position: number): number {
    const { entries } = this;
    const mask = entries.length / 2 - 1;
    let i = hash & mask;
    while (entries[2 * i + 1] !== position) i = (i + 1) & mask;
    return i;
  }

  #grow(): void {
    const before = this.entries;
    this.entries = new Int32Array(before.length * 2);
    for (let i = 0; i < before.length; i += 2) {
      const position = before[i + 1] ?? NOWHERE;
      if (position !== NOWHERE) this.#enter(before[i] ?? 0, position);
    }
  }
}
