import { Varint } from '../../../runtime/varint.ts';
import { maskedCrc32c } from './crc32c.ts';
import type { ListedTable } from './manifest.ts';

/**
 * Constants of LevelDB's table format (doc/table_format.md). A table consists of blocks, each followed by its type and
 * checksum. The footer points to the index block and the meta index block.
 */
const FOOTER = 48;
const TRAILER = 5;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
const SNAPPY = 1;
const number = new Varint();

/** Reader of numbers and byte ranges in a byte array. Throws RangeError if a read goes beyond the end of the array. */
class Bytes {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new RangeError('past the end');
    return byte;
  }

  varint(): number {
    const next = number.read(this.bytes, this.at);
    if (next < 0) throw new RangeError('a number without an end');
    this.at = next;
    return number.uint64;
  }

  /** Reads a little-endian number of `length` bytes. */
  number(length: number): number {
    let value = 0;
    for (let i = 0, factor = 1; i < length; i++, factor *= 256) value += this.byte() * factor;
    return value;
  }

  span(length: number): Uint8Array {
    const from = this.at;
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError('past the end');
    return this.bytes.subarray(from, this.at);
  }
}

/** Decompresses a Snappy block (google/snappy, format_description.txt). Throws RangeError if the block is malformed. */
function unsnappy(packed: Uint8Array): Uint8Array {
  const from = new Bytes(packed);
  const out = new Uint8Array(from.varint());
  let to = 0;
  while (from.at < packed.length) {
    const tag = from.byte();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const length = (short < 60 ? short : from.number(short - 59)) + 1;
      out.set(from.span(length), to);
      to += length;
      continue;
    }
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = kind === 1 ? ((tag >> 5) << 8) | from.byte() : from.number(kind === 2 ? 2 : 4);
    if (offset === 0 || offset > to || to + length > out.length)
      throw new RangeError('a copy from outside the output');
    for (let i = 0; i < length; i++, to++) out[to] = out[to - offset] ?? 0;
  }
  return out;
}

/**
 * Position of a block in a table file of LevelDB. `size` does not include the trailer (type and checksum) after the
 * block.
 */
type Handle = [offset: number, size: number];

/** True if the checksum of the block with `size` bytes at `offset` matches. */
function isWhole(table: Buffer, offset: number, size: number): boolean {
  const end = offset + size;
  if (end + TRAILER > table.length - FOOTER) return false;
  return table.readUInt32LE(end + 1) === maskedCrc32c(table, offset, end + 1);
}

/** Returns the decompressed content of a block in a table file of LevelDB. */
function content(table: Buffer, [offset, size]: Handle): Uint8Array {
  const stored = table.subarray(offset, offset + size);
  return table[offset + size] === SNAPPY ? unsnappy(stored) : stored;
}

/**
 * Yields the entries of a block in a table file of LevelDB. A key is stored as the number of bytes that it shares with
 * the previous key, and the remaining bytes.
 */
function* entries(block: Uint8Array): Generator<[key: Buffer, value: Uint8Array]> {
  const restarts = new Bytes(block, block.length - 4).number(4);
  const end = block.length - 4 - 4 * restarts;
  const from = new Bytes(block.subarray(0, Math.max(0, end)));
  let key = Buffer.alloc(0);
  while (from.at < end) {
    const shared = from.varint();
    const rest = from.varint();
    const value = from.varint();
    key = Buffer.concat([key.subarray(0, shared), from.span(rest)]);
    yield [key, from.span(value)];
  }
}

/** Returns the position and size of each block that an index block or a meta index block of a LevelDB table lists. */
function handles(table: Buffer, handle: Handle): Handle[] {
  return [...entries(content(table, handle))].map(([, value]) => {
    const bytes = new Bytes(value);
    return [bytes.varint(), bytes.varint()];
  });
}

/**
 * Returns the position and size of each data block in a table file of LevelDB. Returns undefined if the file is
 * damaged: for example, if any block has a wrong checksum.
 */
function dataBlocks(table: Buffer): Handle[] | undefined {
  if (table.length < FOOTER || !table.subarray(-MAGIC.length).equals(MAGIC)) return undefined;
  try {
    const footer = new Bytes(table, table.length - FOOTER);
    const meta: Handle = [footer.varint(), footer.varint()];
    const index: Handle = [footer.varint(), footer.varint()];
    if (!isWhole(table, ...meta) || !isWhole(table, ...index)) return undefined;
    const data = handles(table, index);
    return [...handles(table, meta), ...data].every(handle => isWhole(table, ...handle)) ? data : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * True if the checksums of all blocks in a table file of LevelDB match. LevelDB does not verify them when it opens a
 * store, and can crash when it later reads a damaged block.
 */
export function isWholeTable(table: Buffer): boolean {
  return dataBlocks(table) !== undefined;
}

/**
 * True if a table file of LevelDB is intact, and its size, first key and last key match the manifest. If two table
 * files were swapped, this check fails.
 */
export function isListedTable(table: Buffer, { size, smallest, largest }: ListedTable): boolean {
  if (table.length !== size) return false;
  const blocks = dataBlocks(table);
  const [first, last] = [blocks?.[0], blocks?.at(-1)];
  if (!first || !last) return false;
  let end: Buffer | undefined;
  for (const [key] of entries(content(table, last))) end = key;
  const [start] = entries(content(table, first)).next().value ?? [];
  return start?.equals(smallest) === true && end?.equals(largest) === true;
}
