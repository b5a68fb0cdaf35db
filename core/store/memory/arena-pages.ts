/**
 * Size of a page of the memory arena, in bytes. It is a little less than 256 KiB, because malloc adds some bytes to it.
 * With 256 KiB, these bytes would occupy one more memory page of the operating system.
 */
export const PAGE_BYTES = 256 * 1024 - 64;
/** The sizes of cells and pages of the memory arena are multiples of this number of bytes. */
export const UNIT = 16;
const SMALLEST_CELL = 5 * UNIT;
/**
 * Upper limit of the cell sizes, in bytes. A cell is the memory for one string. A longer string gets an arena page of
 * its own.
 */
const LARGEST_CELL = 16 * 1024;
/** Factor between two successive cell sizes of the memory arena. Small cell sizes grow by UNIT bytes instead. */
const SPACING = 1.0625;

/**
 * A page (block of memory) of the memory arena. It is empty, divided into cells of one size, or used as one large cell.
 */
export class Page {
  readonly number: number;
  readonly bytes: Buffer;
  /** DataView of this arena page, on the same memory as `bytes`. */
  readonly view: DataView;
  /** Number of cells of this arena page that are in use. */
  used = 0;
  /**
   * Number of cells of this arena page that were used at least once since the page was divided into cells. These are
   * the first cells of the page.
   */
  begun = 0;
  /**
   * Number of the first freed cell of this arena page, counted from 1; 0 if there is none. Each freed cell holds the
   * number of the next one (linked list).
   */
  firstFree = 0;
  /**
   * Index of this arena page in the array `roomy`, which lists the pages with a free cell; -1 if this page is not in
   * the array.
   */
  roomyIndex = -1;
  /**
   * Size of the cells of this page. A cell is the part of a page that holds one string. Undefined if the page is empty,
   * or if one long string uses the whole page.
   */
  size: CellSize | undefined;

  constructor(number: number, byteLength: number) {
    this.number = number;
    const memory = new ArrayBuffer(byteLength);
    this.bytes = Buffer.from(memory);
    this.view = new DataView(memory);
  }
}

/** A cell size of the memory arena, and all arena pages with cells of this size. */
export class CellSize {
  readonly bytes: number;
  readonly cellsPerPage: number;
  /**
   * Arena pages that are divided into cells of this size and have at least one free cell. They are in no particular
   * order.
   */
  readonly roomy: Page[] = [];
  pages = 0;
  used = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.cellsPerPage = Math.floor(PAGE_BYTES / bytes);
  }

  /** Adds an arena page to `roomy`, the list of pages with a free cell. */
  addRoomy(page: Page): void {
    page.roomyIndex = this.roomy.push(page) - 1;
  }

  /**
   * Removes an arena page from `roomy`, the list of pages with a free cell. Call this method if the page is full or is
   * being emptied.
   */
  removeRoomy(page: Page): void {
    const last = this.roomy.pop();
    if (last && last !== page) {
      this.roomy[page.roomyIndex] = last;
      last.roomyIndex = page.roomyIndex;
    }
    page.roomyIndex = -1;
  }

  /** Returns the arena page with the fewest used cells among the pages in `roomy`. `roomy` must not be empty. */
  emptiest(): Page {
    return this.roomy.reduce((emptiest, other) => (other.used < emptiest.used ? other : emptiest));
  }
}

/**
 * Returns a table of cell sizes. Index: the length of a string in units of UNIT bytes, rounded up. Value: the smallest
 * cell size into which such a string fits.
 */
export function cellSizesByUnits(): CellSize[] {
  const byUnits: CellSize[] = [];
  for (let bytes = SMALLEST_CELL; bytes <= LARGEST_CELL; ) {
    const size = new CellSize(bytes);
    while (byUnits.length * UNIT <= bytes) byUnits.push(size);
    bytes = Math.max(bytes + UNIT, Math.floor((bytes * SPACING) / UNIT) * UNIT);
  }
  return byUnits;
}
