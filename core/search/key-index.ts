/** Largest share of the entries of the hash table that can be in use. Above this share, the table is enlarged. */
const MOST_USED = 0.8;

/**
 * Hash table from keys to row numbers, with linear probing. It stores only the row numbers, in 5 to 10 bytes for each
 * key. The caller hashes and compares the keys.
 */
export class KeyIndex {
  readonly #hashOf: (row: number) => number;
  /** Entries of the hash table: row number plus 1, or 0 for an empty entry. The length is a power of two. */
  #entries: Uint32Array;
  #size = 0;

  /**
   * Creates an empty hash table. `hashOf`: returns the hash of the key that belongs to a row number. `rows`: number of
   * keys for which memory is allocated at first.
   */
  constructor(hashOf: (row: number) => number, rows: number) {
    this.#hashOf = hashOf;
    this.#entries = new Uint32Array(2 ** Math.max(10, Math.ceil(Math.log2(rows / MOST_USED))));
  }

  /** Size of the memory that this hash table from keys to row numbers uses, in bytes. */
  get bytes(): number {
    return this.#entries.byteLength;
  }

  /**
   * Returns the row number of the searched key, or -1 if the table does not contain the key. `hash`: hash of the key.
   * `isWanted` returns true if the row contains the searched key.
   */
  find(hash: number, isWanted: (row: number) => boolean): number {
    const mask = this.#entries.length - 1;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const entry = this.#entries[i] as number;
      if (entry === 0) return -1;
      if (isWanted(entry - 1)) return entry - 1;
    }
  }

  addRow(row: number, hash: number): void {
    this.#size++;
    if (this.#size > this.#entries.length * MOST_USED) this.#grow();
    this.#enter(row, hash);
  }

  /** Replaces the row number `from` in the hash table by the row number `to`. `hash`: hash of the key of the row. */
  renumber(hash: number, from: number, to: number): void {
    this.#entries[this.#entryOf(hash, from)] = to + 1;
  }

  /**
   * Removes a row number from the hash table. Then moves later entries of the table into the gap, because a look-up
   * stops at the first empty entry.
   */
  removeRow(row: number, hash: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let hole = this.#entryOf(hash, row);
    for (let i = (hole + 1) & mask; entries[i] !== 0; i = (i + 1) & mask) {
      const home = this.#hashOf((entries[i] as number) - 1) & mask;
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      entries[hole] = entries[i] as number;
      hole = i;
    }
    entries[hole] = 0;
    this.#size--;
  }

  #entryOf(hash: number, row: number): number {
    const mask = this.#entries.length - 1;
    let i = hash & mask;
    while (this.#entries[i] !== row + 1) i = (i + 1) & mask;
    return i;
  }

  #enter(row: number, hash: number): void {
    const mask = this.#entries.length - 1;
    let i = hash & mask;
    while (this.#entries[i] !== 0) i = (i + 1) & mask;
    this.#entries[i] = row + 1;
  }

  #grow(): void {
    const before = this.#entries;
    this.#entries = new Uint32Array(before.length * 2);
    for (const entry of before) if (entry !== 0) this.#enter(entry - 1, this.#hashOf(entry - 1));
  }
}
