/** Less than a power of two by what malloc adds, which would otherwise cost one more memory page each. */
export const PAGE_BYTES = 256 * 1024 - 64;
/** Cells and pages are multiples of this. */
export const UNIT = 16;
const SMALLEST_CELL = 5 * UNIT;
/** Cells larger than this get a page of their own. */
const LARGEST_CELL = 16 * 1024;
/** Each size of cell is larger than the one before by this factor, or by one unit. */
const SPACING = 1.0625;

/** A block of memory: cells of one size, one large cell, or empty. */
export class Page {
  readonly number: number;
  readonly bytes: Buffer;
  /** The same memory. */
  readonly view: DataView;
  /** Cells in use. */
  used = 0;
  /** Cells ever in use since the page has this size; those behind are untouched. */
  begun = 0;
  /** The cell freed last, counted from 1; it names the one freed before it, and so on to 0. */
  firstFree = 0;
  /** Index of the page in `CellSize.roomy`; -1 if it is full. */
  roomyIndex = -1;
  /** Undefined if the page is empty, or one large cell. */
  size: CellSize | undefined;

  constructor(number: number, byteLength: number) {
    this.number = number;
    const memory = new ArrayBuffer(byteLength);
    this.bytes = Buffer.from(memory);
    this.view = new DataView(memory);
  }
}

/** A size of cell, and the pages of such cells. */
export class CellSize {
  readonly bytes: number;
  readonly cellsPerPage: number;
  /** Pages with room for at least one more cell, in no order. */
  readonly roomy: Page[] = [];
  pages = 0;
  used = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.cellsPerPage = Math.floor(PAGE_BYTES / bytes);
  }

  /** Adds a page that has room. */
  addRoomy(page: Page): void {
    page.roomyIndex = this.roomy.push(page) - 1;
  }

  /** Removes a page that is full, or is to be emptied. */
  removeRoomy(page: Page): void {
    const last = this.roomy.pop();
    if (last && last !== page) {
      this.roomy[page.roomyIndex] = last;
      last.roomyIndex = page.roomyIndex;
    }
    page.roomyIndex = -1;
  }

  /** The page with the fewest cells in use. */
  emptiest(): Page {
    return this.roomy.reduce((emptiest, other) => (other.used < emptiest.used ? other : emptiest));
  }
}

/** For every number of units up to the largest cell: the smallest size of cell that holds them. */
export function cellSizesByUnits(): CellSize[] {
  const byUnits: CellSize[] = [];
  for (let bytes = SMALLEST_CELL; bytes <= LARGEST_CELL; ) {
    const size = new CellSize(bytes);
    while (byUnits.length * UNIT <= bytes) byUnits.push(size);
    bytes = Math.max(bytes + UNIT, Math.floor((bytes * SPACING) / UNIT) * UNIT);
  }
  return byUnits;
}
