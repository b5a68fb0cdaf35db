import { Varint } from '../../../runtime/varint.ts';

/**
 * Constants of LevelDB's log format (doc/log_format.md). A log consists of blocks of 32 KiB. Each block contains
 * records, and each record begins with a header of checksum, length and type.
 */
const BLOCK = 32 * 1024;
const RECORD_HEADER = 7;
const FIRST = 2;
const LAST = 4;

/** An edit of a LevelDB manifest consists of numbered fields. These are the field numbers (db/version_edit.cc). */
const COMPARATOR = 1;
const NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 9]);
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;

const number = new Varint();

/** Reads one edit of a LevelDB manifest (db/version_edit.cc). Throws RangeError if a number is incomplete. */
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

/** Yields the complete edits of a manifest. Stops at the first truncated edit, because LevelDB stops there too. */
function* edits(manifest: Buffer): Generator<Buffer> {
  let fragments: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER <= manifest.length; ) {
    const left = BLOCK - (at % BLOCK);
    if (left < RECORD_HEADER) {
      at += left;
      continue;
    }
    const length = manifest.readUInt16LE(at + 4);
    const type = manifest[at + 6] ?? 0;
    const end = at + RECORD_HEADER + length;
    if (type === 0 || end > manifest.length) return;
    if (type <= FIRST) fragments = [];
    fragments.push(manifest.subarray(at + RECORD_HEADER, end));
    if (type === 1 || type === LAST) yield Buffer.concat(fragments);
    at = end;
  }
}

/**
 * Returns the numbers of the tables that a manifest lists, or undefined if the manifest cannot be read. Does not verify
 * checksums, because LevelDB does this when it opens the store.
 */
export function liveTables(manifest: Buffer): ReadonlySet<number> | undefined {
  const live = new Set<number>();
  try {
    for (const bytes of edits(manifest)) {
      const edit = new Edit(bytes);
      const deleted: number[] = [];
      const added: number[] = [];
      while (edit.more) {
        const tag = edit.varint();
        if (tag === COMPARATOR) edit.skip();
        else if (NUMBERS.has(tag)) edit.varint();
        else if (tag === COMPACT_POINTER) {
          edit.varint();
          edit.skip();
        } else if (tag === DELETED_FILE) {
          edit.varint();
          deleted.push(edit.varint());
        } else if (tag === NEW_FILE) {
          edit.varint();
          added.push(edit.varint());
          edit.varint();
          edit.skip();
          edit.skip();
        } else return undefined;
      }
      // If a table moves to the next level, one edit both deletes and adds this table. The table must stay in the list.
      // Therefore applies the deletions before the additions.
      for (const number of deleted) live.delete(number);
      for (const number of added) live.add(number);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return live;
}
