/**
 * Number of bits of the position of a cell that are its offset in the page. The other bits are the index of the page.
 */
const OFFSET_BITS = 18;
/**
 * Size of a page of cells in bytes. With pages of 64 KiB, searches for words took about 15 % longer, because the objects
 * of all pages did not fit into the fastest cache of the CPU.
 */
export const PAGE_BYTES = 1 << OFFSET_BITS;
/** If more than this share of the bytes of all text pages is unused, the least occupied page is emptied. */
const UNUSED_SHARE = 1 / 8;

/** Returns the index of the page of a cell in `TextPages.pages`. `position`: position of the cell. */
export function pageIndexOf(position: number): number {
  return position >>> OFFSET_BITS;
}

/** Returns the offset of a cell in its page. `position`: position of the cell. */
export function offsetOf(position: number): number {
  return position & (PAGE_BYTES - 1);
}

/**
 * Memory for millions of short byte strings (cells). Cells are appended to pages. Freed cells leave unused bytes. When
 * too many bytes are unused, the owner moves the cells of the least occupied page to other pages (`pageToEmpty`).
 *
 * The arena of the store (core/store/memory/arena.ts) rounds cells up to 16 bytes and needs a back reference in each
 * cell. This class does neither, which saves about 12 bytes a server.
 */
export class TextPages {
  /**
   * Memory of each page, by the index that `pageIndexOf` returns. Page 0 contains only the cell that
   * `writeFirstCell` writes.
   */
  readonly pages: Buffer[] = [Buffer.alloc(PAGE_BYTES)];
  /** Number of written bytes at the beginning of each page. */
  readonly #ends: number[] = [PAGE_BYTES];
  /** Number of unused bytes in the written part of each page. */
  readonly #unused: number[] = [0];
  readonly #empty: number[] = [];
  #current = 0;
  #unusedBytes = 0;

  /** Size of the memory of all text pages, in bytes. */
  get bytes(): number {
    return this.pages.length * PAGE_BYTES;
  }

  /** Appends a cell to a page. Returns the position of the cell. A cell has at most PAGE_BYTES bytes. */
  addCell(cell: Uint8Array): number {
    if ((this.#ends[this.#current] as number) + cell.length > PAGE_BYTES) this.#open();
    const page = this.#current;
    const offset = this.#ends[page] as number;
    (this.pages[page] as Buffer).set(cell, offset);
    this.#ends[page] = offset + cell.length;
    return ((page << OFFSET_BITS) | offset) >>> 0;
  }

  /** Overwrites the only cell of page 0. Returns its position. This cell is never freed. */
  writeFirstCell(cell: Uint8Array): number {
    (this.pages[0] as Buffer).set(cell);
    return 0;
  }

  /** Frees the cell of `length` bytes at `position`. */
  freeCell(position: number, length: number): void {
    const page = position >>> OFFSET_BITS;
    this.#unused[page] = (this.#unused[page] as number) + length;
    this.#unusedBytes += length;
  }

  /**
   * Returns the number of the page that the owner should empty by moving its cells to other pages. Returns -1 if no
   * page must be emptied. After the move, the owner calls `emptyPage`.
   */
  pageToEmpty(): number {
    if (this.#unusedBytes < PAGE_BYTES || this.#unusedBytes < this.bytes * UNUSED_SHARE) return -1;
    let best = -1;
    for (let page = 1; page < this.pages.length; page++) {
      if (page === this.#current) continue;
      if (best < 0 || (this.#unused[page] as number) > (this.#unused[best] as number)) best = page;
    }
    return best;
  }

  /** Makes a page available for new cells. Call this method only if no cell in the page is in use. */
  emptyPage(page: number): void {
    this.#unusedBytes -= this.#unused[page] as number;
    this.#unused[page] = 0;
    this.#ends[page] = 0;
    this.#empty.push(page);
  }

  #open(): void {
    const empty = this.#empty.pop();
    if (empty !== undefined) {
      this.#current = empty;
      return;
    }
    this.#current = this.pages.length;
    this.pages.push(Buffer.allocUnsafeSlow(PAGE_BYTES));
    this.#ends.push(0);
    this.#unused.push(0);
  }
}
