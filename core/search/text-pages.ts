/**
 * The position of the texts of a server in the search index is one number. Its lowest OFFSET_BITS bits are the offset
 * in a memory page. Its higher bits are the index of the page.
 */
const OFFSET_BITS = 18;
/**
 * Size of a memory page for the texts of servers, in bytes. With pages of 64 KiB, word searches took about 15 % longer:
 * the page objects did not fit into the fastest CPU cache.
 */
export const PAGE_BYTES = 1 << OFFSET_BITS;
/**
 * Maximum share of the text memory that can be unused. Above this share, the page with the most unused bytes is
 * emptied: its texts are moved to other pages. Then the whole page can be used again.
 */
const UNUSED_SHARE = 1 / 8;

/**
 * Returns the index in `TextPages.pages` of the memory page that contains the texts of a server. `position`: position
 * of these texts, as `TextPages.addCell` returned it.
 */
export function pageIndexOf(position: number): number {
  return position >>> OFFSET_BITS;
}

/**
 * Returns the offset of the texts of a server in their memory page. `position`: position of these texts, as
 * `TextPages.addCell` returned it.
 */
export function offsetOf(position: number): number {
  return position & (PAGE_BYTES - 1);
}

/**
 * Memory for millions of short byte strings (cells), each with the texts of one server. It needs about 12 bytes less
 * for each server than the arena (core/store/memory/arena.ts).
 */
export class TextPages {
  /**
   * The memory pages, which contain the texts of all servers in the search index. `pageIndexOf` returns the index of a
   * page. Page 0 is special: it contains only the byte string (cell) that `writeFirstCell` writes.
   */
  readonly pages: Buffer[] = [Buffer.alloc(PAGE_BYTES)];
  /** Length of the written part of each memory page, in bytes. The written part is at the beginning of the page. */
  readonly #ends: number[] = [PAGE_BYTES];
  /**
   * For each memory page: number of bytes that belonged to removed texts. These bytes are not reused until the page is
   * emptied.
   */
  readonly #unused: number[] = [0];
  readonly #empty: number[] = [];
  #current = 0;
  #unusedBytes = 0;

  /** Size of the memory pages with the texts of all servers, in bytes. */
  get bytes(): number {
    return this.pages.length * PAGE_BYTES;
  }

  /**
   * Appends a cell (a byte string with the texts of one server) to a memory page. Returns the position of the cell. A
   * cell has at most PAGE_BYTES bytes.
   */
  addCell(cell: Uint8Array): number {
    if ((this.#ends[this.#current] as number) + cell.length > PAGE_BYTES) this.#open();
    const page = this.#current;
    const offset = this.#ends[page] as number;
    (this.pages[page] as Buffer).set(cell, offset);
    this.#ends[page] = offset + cell.length;
    return ((page << OFFSET_BITS) | offset) >>> 0;
  }

  /**
   * Writes a cell (the texts of one server) to memory page 0. Overwrites the cell of the previous call. Returns the
   * position of the new cell. Do not free this cell.
   */
  writeFirstCell(cell: Uint8Array): number {
    (this.pages[0] as Buffer).set(cell);
    return 0;
  }

  /** Frees the cell (a byte string with all texts of one server) of `length` bytes at `position`. */
  freeCell(position: number, length: number): void {
    const page = position >>> OFFSET_BITS;
    this.#unused[page] = (this.#unused[page] as number) + length;
    this.#unusedBytes += length;
  }

  /**
   * Returns the index of the memory page with the most unused bytes. The caller must move all texts out of this page,
   * and then call `emptyPage`. Returns -1 if the pages together have so few unused bytes that no page need be emptied.
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

  /** Makes a memory page available for new texts. Call this method only if no text in the page is in use. */
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
