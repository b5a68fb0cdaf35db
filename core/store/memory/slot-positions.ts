/** Marks the end of the linked list of free slots (indexes that no server uses). */
const END = 0;

/**
 * Maps the index of a server (slot) to the position of its record in the arena. Assigns slots to new servers, and keeps
 * a list of free slots.
 */
export class SlotPositions {
  /**
   * For each used slot: the position of its server record in the arena, a positive number. For each free slot: the next
   * free slot in the linked list, stored as `-1 - slot`. END if no free slot follows.
   */
  #positions: Int32Array = new Int32Array(768);
  /** Number of slots (indexes of servers) that were assigned at least once. */
  #used = 0;
  /**
   * Head of the linked list of free slots: the slot that was freed last, stored as the number `-1 - slot`. The value is
   * END if no slot is free.
   */
  #firstFree = END;

  /**
   * Returns the position of a server record in the arena (memory for server records). `slot`: index of the server; it
   * must be in use.
   */
  get(slot: number): number {
    return this.#positions[slot] ?? 0;
  }

  set(slot: number, position: number): void {
    this.#positions[slot] = position;
  }

  /** Assigns a free slot (index of a server) to the record at `position` in the arena. Returns the slot. */
  addPosition(position: number): number {
    const slot = this.#newSlot();
    this.#positions[slot] = position;
    return slot;
  }

  free(slot: number): void {
    this.#positions[slot] = this.#firstFree;
    this.#firstFree = -1 - slot;
  }

  /**
   * Yields the slots (indexes of servers) that are in use, in ascending order. The caller may assign and free slots
   * between two yields. A slot that stays in use is yielded exactly once.
   */
  *slots(): Generator<number> {
    for (let slot = 0; slot < this.#used; slot++) if (this.get(slot) > 0) yield slot;
  }

  #newSlot(): number {
    if (this.#firstFree !== END) {
      const slot = -1 - this.#firstFree;
      this.#firstFree = this.#positions[slot] ?? END;
      return slot;
    }
    if (this.#used === this.#positions.length) {
      const positions = this.#positions;
      this.#positions = new Int32Array(positions.length * 2);
      this.#positions.set(positions);
    }
    return this.#used++;
  }
}
