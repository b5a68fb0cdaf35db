import { Varint } from '../../../runtime/varint.ts';

/** LevelDB's log format (doc/log_format.md): blocks of 32 KiB of records with a head of checksum, length and type. */
const BLOCK = 32 * 1024;
const RECORD_HEAD = 7;
const FIRST = 2;
const LAST = 4;

/** Tags of an edit (db/version_edit.cc). */
const COMPARATOR = 1;
const NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 9]);
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;

const number = new Varint();

class Edit {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get more(): boolean {
    return this.#at < this.#bytes.length;
  }

  varint(): number {
    const next = number.read(this.#bytes, this.#at);
    if (next < 0) throw new RangeError('an edit of the manifest has a number without an end');
    this.#at = next;
    return number.uint64;
  }

  skip(): void {
    const length = this.varint();
    this.#at += length;
  }
}

/** The edits that are whole; what is behind the first that is not, LevelDB does not read either. */
function* edits(manifest: Buffer): Generator<Buffer> {
  let parts: Buffer[] = [];
  for (let at = 0; at + RECORD_HEAD <= manifest.length; ) {
    const left = BLOCK - (at % BLOCK);
    if (left < RECORD_HEAD) {
      at += left;
      continue;
    }
    const length = manifest.readUInt16LE(at + 4);
    const type = manifest[at + 6] ?? 0;
    const end = at + RECORD_HEAD + length;
    if (type === 0 || end > manifest.length) return;
    if (type <= FIRST) parts = [];
    parts.push(manifest.subarray(at + RECORD_HEAD, end));
    if (type === 1 || type === LAST) yield Buffer.concat(parts);
    at = end;
  }
}

/**
 * Numbers of the tables that a manifest says there are; undefined where it cannot be read, which LevelDB then says
 * itself. Checksums are LevelDB's to check.
 */
export function liveTables(manifest: Buffer): ReadonlySet<number> | undefined {
  const live = new Set<number>();
  try {
    for (const bytes of edits(manifest)) {
      const edit = new Edit(bytes);
      const gone: number[] = [];
      const come: number[] = [];
      while (edit.more) {
        const tag = edit.varint();
        if (tag === COMPARATOR) edit.skip();
        else if (NUMBERS.has(tag)) edit.varint();
        else if (tag === COMPACT_POINTER) {
          edit.varint();
          edit.skip();
        } else if (tag === DELETED_FILE) {
          edit.varint();
          gone.push(edit.varint());
        } else if (tag === NEW_FILE) {
          edit.varint();
          come.push(edit.varint());
          edit.varint();
          edit.skip();
          edit.skip();
        } else return undefined;
      }
      // A table that moves a level down is deleted and new in one edit.
      for (const number of gone) live.delete(number);
      for (const number of come) live.add(number);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return live;
}
