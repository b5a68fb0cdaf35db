/** Less than a power of two by what malloc adds, which would otherwise cost one more memory page each. */
const PAGE_BYTES = 256 * 1024 - 64;
const OFFSET_BITS = 14;
const OFFSET_MASK = (1 << OFFSET_BITS) - 1;
/** What a position can name. */
const MAX_PAGES = 1 << (32 - OFFSET_BITS);
const UNIT = 16;
/** Cells larger than this get a page of their own. */
const LARGEST_CELL = 16 * 1024;
/** Each size of cell is larger than the one before by this, or by one unit. */
const SPACING = 1.0625;
/** Empty pages kept for whoever needs one next: this part of those in use, and a few. */
const SPARE_PART = 1 / 8;
const SPARE_PAGES = 4;

/** The position of nothing. */
export const NOWHERE = 0;

/** Where something lies in the arena: good until the next `free`. */
export interface Place {
  bytes: Buffer;
  /** The same memory. */
  view: DataView;
  /** Offset in both, a multiple of 16. */
  at: number;
}

const NO_BYTES = Buffer.alloc(0);
const NO_VIEW = new DataView(new ArrayBuffer(0));

class Page {
  readonly number: number;
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Cells in use. */
  used = 0;
  /** Cells that ever were in use since the page was taken: those behind are untouched. */
  begun = 0;
  /** The cell freed last, counted from 1; it names the one freed before it, and so on to 0. */
  freed = 0;
  /** Where the page is among those of its size that have room; -1 where it is full. */
  room = -1;
  size: CellSize | undefined;

  constructor(number: number, byteLength: number) {
    this.number = number;
    const memory = new ArrayBuffer(byteLength);
    this.bytes = Buffer.from(memory);
    this.view = new DataView(memory);
  }
}

class CellSize {
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
}

function cellSizes(): CellSize[] {
  const sizes: CellSize[] = [];
  for (let bytes = 5 * UNIT; bytes <= LARGEST_CELL; ) {
    sizes.push(new CellSize(bytes));
    bytes = Math.max(bytes + UNIT, Math.floor((bytes * SPACING) / UNIT) * UNIT);
  }
  return sizes;
}

/**
 * Memory for very many byte strings of a few hundred bytes, outside the JavaScript heap: pages of cells of one size.
 * A size that has more than an eighth of its cells free empties a page by moving what is there, so that what is held
 * stays near what is in use however the sizes shift; `moved` is told of each, after the move: from which position, to
 * which, and where it lies now.
 */
export class Arena {
  readonly #moved: (from: number, to: number, place: Place) => void;
  readonly #sizes = cellSizes();
  /** The size for a number of units. */
  readonly #sizeOf: CellSize[] = [];
  /** By number, from 1, so that no position is NOWHERE. */
  readonly #pages: (Page | undefined)[] = [undefined];
  // What `locate` needs of a page, without the page between.
  readonly #bytesOf: Buffer[] = [NO_BYTES];
  readonly #viewOf: DataView[] = [NO_VIEW];
  readonly #numbers: number[] = [];
  readonly #empty: Page[] = [];
  /** Pages of cells, without the empty ones. */
  #inUse = 0;
  #bytes = 0;

  constructor(moved: (from: number, to: number, place: Place) => void) {
    this.#moved = moved;
    for (const size of this.#sizes) {
      while (this.#sizeOf.length * UNIT <= size.bytes) this.#sizeOf.push(size);
    }
  }

  /** Bytes of memory held, in use or not. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes room. Its position stays until it is freed or moved. Throws a RangeError where there is no memory. */
  allocate(byteLength: number): number {
    const size = this.#sizeFor(byteLength);
    if (!size) {
      const page = this.#newPage(byteLength);
      page.used = 1;
      return page.number << OFFSET_BITS;
    }
    return this.#take(size);
  }

  /** Whether so much fits just as well where something else lies now. */
  fits(position: number, byteLength: number): boolean {
    const { size } = this.#pageOf(position);
    return size !== undefined && size === this.#sizeFor(byteLength);
  }

  /** Gives room back. Others may move meanwhile. */
  free(position: number): void {
    const page = this.#pageOf(position);
    const { size } = page;
    page.used--;
    if (!size) {
      this.#drop(page);
      return;
    }
    size.used--;
    if (page.used === 0) {
      this.#retire(page, size);
      return;
    }
    const at = (position & OFFSET_MASK) * UNIT;
    page.view.setInt32(at, page.freed, true);
    page.freed = at / size.bytes + 1;
    if (page.room < 0) page.room = size.roomy.push(page) - 1;
    const cells = size.pages * size.cellsPerPage;
    const free = cells - size.used;
    if (free * 2 >= size.cellsPerPage * 3 && free * 8 >= cells) this.#evacuate(size);
  }

  /** Fills `place` for a position. */
  locate(position: number, place: Place): void {
    const number = position >>> OFFSET_BITS;
    place.bytes = this.#bytesOf[number] ?? NO_BYTES;
    place.view = this.#viewOf[number] ?? NO_VIEW;
    place.at = (position & OFFSET_MASK) * UNIT;
  }

  #pageOf(position: number): Page {
    const page = this.#pages[position >>> OFFSET_BITS];
    if (!page) throw new RangeError('no such position');
    return page;
  }

  /** Undefined for what needs a page of its own. */
  #sizeFor(byteLength: number): CellSize | undefined {
    return this.#sizeOf[Math.ceil(byteLength / UNIT)];
  }

  #take(size: CellSize): number {
    const page = size.roomy[size.roomy.length - 1] ?? this.#addPage(size);
    page.used++;
    size.used++;
    let cell = page.begun;
    if (page.freed > 0) {
      cell = page.freed - 1;
      page.freed = page.view.getInt32(cell * size.bytes, true);
    } else page.begun++;
    if (page.used === size.cellsPerPage) this.#leaveRoomy(page, size);
    return (page.number << OFFSET_BITS) | ((cell * size.bytes) / UNIT);
  }

  #addPage(size: CellSize): Page {
    const page = this.#empty.pop() ?? this.#newPage(PAGE_BYTES);
    page.size = size;
    page.begun = 0;
    page.freed = 0;
    page.room = size.roomy.push(page) - 1;
    size.pages++;
    this.#inUse++;
    return page;
  }

  #leaveRoomy(page: Page, size: CellSize): void {
    const last = size.roomy.pop();
    if (last && last !== page) {
      size.roomy[page.room] = last;
      last.room = page.room;
    }
    page.room = -1;
  }

  /** Moves everything out of the emptiest page of a size. The others of that size have room for it. */
  #evacuate(size: CellSize): void {
    const page = size.roomy.reduce((emptiest, other) => (other.used < emptiest.used ? other : emptiest));
    const free = new Uint8Array(page.begun);
    for (let cell = page.freed; cell > 0; cell = page.view.getInt32((cell - 1) * size.bytes, true))
      free[cell - 1] = 1;
    this.#leaveRoomy(page, size);
    const place: Place = { bytes: page.bytes, view: page.view, at: 0 };
    for (let cell = 0; cell < page.begun; cell++) {
      if (free[cell] === 1) continue;
      const position = this.#take(size);
      this.locate(position, place);
      page.bytes.copy(place.bytes, place.at, cell * size.bytes, (cell + 1) * size.bytes);
      this.#moved((page.number << OFFSET_BITS) | ((cell * size.bytes) / UNIT), position, place);
    }
    size.used -= page.used;
    page.used = 0;
    this.#retire(page, size);
  }

  /** Makes an empty page available to every size. */
  #retire(page: Page, size: CellSize): void {
    if (page.room >= 0) this.#leaveRoomy(page, size);
    page.size = undefined;
    size.pages--;
    this.#empty.push(page);
    this.#inUse--;
    while (this.#empty.length > SPARE_PAGES + this.#inUse * SPARE_PART) {
      const spare = this.#empty.pop();
      if (spare) this.#drop(spare);
    }
  }

  #newPage(byteLength: number): Page {
    const number = this.#numbers.pop() ?? this.#pages.length;
    if (number >= MAX_PAGES) throw new RangeError(`the arena holds ${MAX_PAGES} pages, all it can`);
    const page = new Page(number, Math.ceil(byteLength / UNIT) * UNIT);
    this.#pages[number] = page;
    this.#bytesOf[number] = page.bytes;
    this.#viewOf[number] = page.view;
    this.#bytes += page.bytes.length;
    return page;
  }

  /** Leaves a page to the garbage collector. */
  #drop(page: Page): void {
    this.#pages[page.number] = undefined;
    this.#bytesOf[page.number] = NO_BYTES;
    this.#viewOf[page.number] = NO_VIEW;
    this.#numbers.push(page.number);
    this.#bytes -= page.bytes.length;
  }
}
