/** The position of each slot in an arena, with a free list of the slots that are not in use. */
export class SlotPositions {
  /** By slot: its position; of a free slot the next free one, counted from 1, or 0. */
  #positions: Int32Array = new Int32Array(768);
  /** Slots ever used. */
  #used = 0;
  /** The slot freed last, counted from 1; 0 if none is free. */
  #firstFree = 0;

  /** The position of a slot that is in use. */
  get(slot: number): number {
    return this.#positions[slot] ?? 0;
  }

  set(slot: number, position: number): void {
    this.#positions[slot] = position;
  }

  /** Uses a free slot for a position; returns it. */
  add(position: number): number {
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
