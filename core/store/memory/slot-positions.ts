/**
 * Maps the index of a server (slot) to the position of its record in the arena. Also assigns slots to new servers and
 * keeps a list of free slots.
 */
export class SlotPositions {
  /**
   * For a slot that is in use: the position of its server record in the arena. Free slots form a linked list. For a
   * free slot: the number of the next free slot plus 1, or 0 at the end of the list.
   */
  #positions: Int32Array = new Int32Array(768);
  /** Number of slots that were assigned to a server at least once. */
  #used = 0;
  /** The slot that was freed most recently, plus 1. 0 if no slot is free. */
  #firstFree = 0;

  /** Returns the arena position of the record of the server with this `slot`. The slot must be in use. */
  get(slot: number): number {
    return this.#positions[slot] ?? 0;
  }

  set(slot: number, position: number): void {
    this.#positions[slot] = position;
  }

  /** Assigns a free slot to a server record. `position`: position of the record in the arena. Returns the slot. */
  addPosition(position: number): number {
    const slot = this.#newSlot();
    this.#positions[slot] = position;
    return slot;
  }

  free(slot: number): void {
    this.#positions[slot] = this.#firstFree;
    this.#firstFree = slot + 1;
  }

  #newSlot(): number {
    if (this.#firstFree > 0) {
      const slot = this.#firstFree - 1;
      this.#firstFree = this.#positions[slot] ?? 0;
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
