import { type CellSize, cellSizesByUnits, PAGE_BYTES, Page, UNIT } from './arena-pages.ts';

const OFFSET_BITS = 14;
const OFFSET_MASK = (1 << OFFSET_BITS) - 1;
/**
 * Maximum number of pages (blocks of memory) of the arena. The position of a cell is a positive Int32, which has 31
 * usable bits: OFFSET_BITS bits for the offset in the page, and the other bits for the page number.
 */
const MAX_PAGES = 1 << (31 - OFFSET_BITS);
/**
 * The arena (memory for strings) keeps some empty pages for reuse. Their maximum number is SPARE_PAGES, plus
 * SPARE_SHARE times the number of pages in use.
 */
const SPARE_SHARE = 1 / 8;
const SPARE_PAGES = 4;

/** Position that means "no string". The arena never stores a string at this position. */
export const NOWHERE = 0;

/** Pointer to a string in the arena. The pointer is valid until the next call of `free`, which can move strings. */
export interface ArenaPointer {
  bytes: Buffer;
  /** DataView of the arena page that contains the string, on the same memory as `bytes`. */
  view: DataView;
  /** Offset of the string in `bytes` and `view`, a multiple of 16. */
  at: number;
}

const NO_BYTES = Buffer.alloc(0);
const NO_VIEW = new DataView(new ArrayBuffer(0));

/**
 * Memory for millions of byte strings, outside the JavaScript heap. Each page is divided into cells of one size, one
 * for each string. The arena moves strings between pages, to leave little memory unused.
 */
export class Arena {
  /** Called after a string was moved, with its old position, its new position and a pointer to the moved string. */
  readonly #onMoved: (from: number, to: number, pointer: ArenaPointer) => void;
  readonly #sizeOf: readonly CellSize[] = cellSizesByUnits();
  /**
   * All pages (blocks of memory) of the arena, indexed by page number. Page numbers start at 1, because position 0
   * means "no string" (NOWHERE).
   */
  readonly #pages: (Page | undefined)[] = [undefined];
  // The memory of each page, indexed by page number. `locate` reads these arrays and not the Page objects, which refer
  // to the same memory. This saves one cache miss.
  readonly #bytesOf: Buffer[] = [NO_BYTES];
  readonly #viewOf: DataView[] = [NO_VIEW];
  /** Page numbers of the arena that are free for reuse. */
  readonly #numbers: number[] = [];
  readonly #empty: Page[] = [];
  /** Number of pages (blocks of memory) of the arena that are divided into cells. A cell holds one string. */
  #inUse = 0;
  #bytes = 0;

  constructor(onMoved: (from: number, to: number, pointer: ArenaPointer) => void) {
    this.#onMoved = onMoved;
  }

  /** Number of bytes of memory that the arena has allocated, including unused cells and pages. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Allocates a cell (memory for one string) in the arena. Returns its position, which is valid until the cell is freed
   * or moved (`onMoved`). Throws RangeError if the arena has the maximum number of pages.
   */
  allocate(byteLength: number): number {
    const size = this.#sizeFor(byteLength);
    if (!size) {
      const page = this.#newPage(byteLength);
      page.used = 1;
      return page.number << OFFSET_BITS;
    }
    return this.#allocateCell(size);
  }

  /**
   * True if the memory cell at `position` in the arena has the right size for a string of `byteLength` bytes. The new
   * string can then overwrite the string in this cell.
   */
  fits(position: number, byteLength: number): boolean {
    const { size } = this.#pageOf(position);
    return size !== undefined && size === this.#sizeFor(byteLength);
  }

  /** Frees a cell of the arena (memory of one string). Can move the strings in other cells. */
  free(position: number): void {
    const page = this.#pageOf(position);
    const { size } = page;
    page.used--;
    if (!size) {
      this.#deletePage(page);
      return;
    }
    size.used--;
    if (page.used === 0) {
      this.#retire(page, size);
      return;
    }
    const at = (position & OFFSET_MASK) * UNIT;
    page.view.setInt32(at, page.firstFree, true);
    page.firstFree = at / size.bytes + 1;
    if (page.roomyIndex < 0) size.addRoomy(page);
    const cells = size.pages * size.cellsPerPage;
    const free = cells - size.used;
    if (free * 2 >= size.cellsPerPage * 3 && free * 8 >= cells) this.#evacuate(size);
  }

  /** Sets `pointer` to the cell (memory of one string) at a position of the arena. */
  locate(position: number, pointer: ArenaPointer): void {
    const number = position >>> OFFSET_BITS;
    pointer.bytes = this.#bytesOf[number] ?? NO_BYTES;
    pointer.view = this.#viewOf[number] ?? NO_VIEW;
    pointer.at = (position & OFFSET_MASK) * UNIT;
  }

  #pageOf(position: number): Page {
    const page = this.#pages[position >>> OFFSET_BITS];
    if (!page) throw new RangeError(`nothing is at position ${position}`);
    return page;
  }

  /**
   * Returns the cell size for a string of `byteLength` bytes. Returns undefined for a longer string, which gets a
   * memory page of its own.
   */
  #sizeFor(byteLength: number): CellSize | undefined {
    return this.#sizeOf[Math.ceil(byteLength / UNIT)];
  }

  #allocateCell(size: CellSize): number {
    const page = size.roomy[size.roomy.length - 1] ?? this.#addPage(size);
    page.used++;
    size.used++;
    let cell = page.begun;
    if (page.firstFree > 0) {
      cell = page.firstFree - 1;
      page.firstFree = page.view.getInt32(cell * size.bytes, true);
    } else page.begun++;
    if (page.used === size.cellsPerPage) size.removeRoomy(page);
    return (page.number << OFFSET_BITS) | ((cell * size.bytes) / UNIT);
  }

  #addPage(size: CellSize): Page {
    const page = this.#empty.pop() ?? this.#newPage(PAGE_BYTES);
    page.size = size;
    page.begun = 0;
    page.firstFree = 0;
    size.addRoomy(page);
    size.pages++;
    this.#inUse++;
    return page;
  }

  /**
   * Empties one of the arena pages with cells of this size: the page with the fewest used cells. Moves its strings to
   * the other such pages, which have enough free cells.
   */
  #evacuate(size: CellSize): void {
    const page = size.emptiest();
    const free = new Uint8Array(page.begun);
    for (let cell = page.firstFree; cell > 0; cell = page.view.getInt32((cell - 1) * size.bytes, true))
      free[cell - 1] = 1;
    size.removeRoomy(page);
    const pointer: ArenaPointer = { bytes: page.bytes, view: page.view, at: 0 };
    for (let cell = 0; cell < page.begun; cell++) {
      if (free[cell] === 1) continue;
      const position = this.#allocateCell(size);
      this.locate(position, pointer);
      page.bytes.copy(pointer.bytes, pointer.at, cell * size.bytes, (cell + 1) * size.bytes);
      this.#onMoved((page.number << OFFSET_BITS) | ((cell * size.bytes) / UNIT), position, pointer);
    }
    size.used -= page.used;
    page.used = 0;
    this.#retire(page, size);
  }

  /**
   * Marks an arena page without used cells as empty. It can then be divided into cells of a different size. Deletes
   * some empty pages if the arena keeps too many.
   */
  #retire(page: Page, size: CellSize): void {
    if (page.roomyIndex >= 0) size.removeRoomy(page);
    page.size = undefined;
    size.pages--;
    this.#empty.push(page);
    this.#inUse--;
    while (this.#empty.length > SPARE_PAGES + this.#inUse * SPARE_SHARE) {
      const spare = this.#empty.pop();
      if (spare) this.#deletePage(spare);
    }
  }

  #newPage(byteLength: number): Page {
    const number = this.#numbers.pop() ?? this.#pages.length;
    if (number >= MAX_PAGES) throw new RangeError(`the arena holds ${MAX_PAGES} pages, the most it can`);
    const page = new Page(number, Math.ceil(byteLength / UNIT) * UNIT);
    this.#pages[number] = page;
    this.#bytesOf[number] = page.bytes;
    this.#viewOf[number] = page.view;
    this.#bytes += page.bytes.length;
    return page;
  }

  /** Drops all references to a memory page of the arena, so that the garbage collector can free it. */
  #deletePage(page: Page): void {
    this.#pages[page.number] = undefined;
    this.#bytesOf[page.number] = NO_BYTES;
    this.#viewOf[page.number] = NO_VIEW;
    this.#numbers.push(page.number);
    this.#bytes -= page.bytes.length;
  }
}
