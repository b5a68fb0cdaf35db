import { Varint } from '../../../runtime/varint.ts';
import { readLog } from './log-file.ts';

/** An edit of a LevelDB manifest consists of numbered fields. These are the field numbers (db/version_edit.cc). */
const COMPARATOR = 1;
const LOG_NUMBER = 2;
const NEXT_FILE_NUMBER = 3;
const LAST_SEQUENCE = 4;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const PREVIOUS_LOG_NUMBER = 9;

const number = new Varint();

/** Reader of one edit of a LevelDB manifest. Throws RangeError if a number or a text is incomplete. */
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

  /**
   * Reads a text from an edit of the LevelDB manifest. Returns a copy, because the bytes of an edit are valid only
   * while the edit is read.
   */
  text(): Buffer {
    const length = this.varint();
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length)
      throw new RangeError('an edit of the manifest has a text without an end');
    return Buffer.from(this.#bytes.subarray(from, this.#at));
  }
}

/**
 * A table file of LevelDB, as the manifest of the database lists it. Its size and its keys identify the table, because
 * no two tables have the same keys.
 */
export interface ListedTable {
  /** Size of the LevelDB table file, in bytes. */
  size: number;
  /** First and last key of the table, in LevelDB's internal form: they end with the sequence number of the entry. */
  smallest: Buffer;
  largest: Buffer;
}

/** State of a LevelDB database as its manifest records it. */
export interface Manifest {
  /** Number in the file name of the oldest log whose writes are not in tables yet; 0 if there is no such log. */
  logNumber: number;
  /** Sequence number of the newest operation at the time when the manifest was last written. */
  lastSequence: number;
  /** The table files that hold the data of the database, keyed by the number in the file name. */
  tables: ReadonlyMap<number, ListedTable>;
}

interface MutableManifest extends Manifest {
  tables: Map<number, ListedTable>;
}

/**
 * Applies one edit (a stored change) of a LevelDB manifest to `manifest`. Throws RangeError if the edit is malformed.
 */
function applyEdit(edit: Edit, manifest: MutableManifest): void {
  const deleted: number[] = [];
  const added: [number, ListedTable][] = [];
  while (edit.more) {
    const field = edit.varint();
    if (field === COMPARATOR) edit.text();
    else if (field === LOG_NUMBER) manifest.logNumber = edit.varint();
    else if (field === LAST_SEQUENCE) manifest.lastSequence = edit.varint();
    else if (field === NEXT_FILE_NUMBER || field === PREVIOUS_LOG_NUMBER) edit.varint();
    else if (field === COMPACT_POINTER) {
      edit.varint();
      edit.text();
    } else if (field === DELETED_FILE) {
      edit.varint();
      deleted.push(edit.varint());
    } else if (field === NEW_FILE) {
      edit.varint();
      added.push([edit.varint(), { size: edit.varint(), smallest: edit.text(), largest: edit.text() }]);
    } else throw new RangeError(`an edit of the manifest has the unknown field ${field}`);
  }
  // One edit can delete a table at its old level, and add it at the next level. The table must remain, so deletions are
  // applied before additions.
  for (const table of deleted) manifest.tables.delete(table);
  for (const [table, listed] of added) manifest.tables.set(table, listed);
}

/**
 * Reads the manifest (list of data files) of a LevelDB database. Ignores an incomplete record at the end of the file,
 * because the process can be killed during a write. Returns undefined if the manifest is damaged elsewhere.
 */
export function readManifest(path: string): Manifest | undefined {
  const manifest: MutableManifest = { logNumber: 0, lastSequence: 0, tables: new Map() };
  try {
    const damagedAt = readLog(path, record => applyEdit(new Edit(record), manifest));
    return damagedAt === undefined ? manifest : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
