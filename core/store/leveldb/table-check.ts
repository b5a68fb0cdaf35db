import { Varint } from '../../../runtime/varint.ts';
import { crc32c } from './crc32c.ts';

/**
 * Constants of LevelDB's table format (doc/table_format.md). A table consists of blocks, each followed by its type and
 * checksum. The footer points to the index block and the meta index block.
 */
const FOOTER = 48;
const TRAILER = 5;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
const SNAPPY = 1;
/**
 * LevelDB does not store plain checksums. It rotates a checksum, adds this constant, and stores the result
 * (util/crc32c.h).
 */
const MASK = 0xa282ead8;

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

/** True if the checksum of the block with `size` bytes at `offset` matches. */
function isWhole(table: Buffer, offset: number, size: number): boolean {
  const end = offset + size;
  if (end + TRAILER > table.length - FOOTER) return false;
  const crc = crc32c(table, offset, end + 1);
  return table.readUInt32LE(end + 1) === (((crc >>> 15) | (crc << 17)) + MASK) >>> 0;
}

/** Reads the index block of a LevelDB table. Yields the offset and size of each block that the index lists. */
function* handles(block: Uint8Array): Generator<[offset: number, size: number]> {
  const restarts = new Bytes(block, block.length - 4).number(4);
  const end = block.length - 4 - 4 * restarts;
  const entries = new Bytes(block.subarray(0, Math.max(0, end)));
  while (entries.at < end) {
    entries.varint();
    const key = entries.varint();
    const value = entries.varint();
    entries.span(key);
    const handle = new Bytes(entries.span(value));
    yield [handle.varint(), handle.varint()];
  }
}

/**
 * True if the checksums of all blocks in a table match. LevelDB does not verify them when it opens a store, and it can
 * crash the process when it later reads a damaged block.
 */
export function isWholeTable(table: Buffer): boolean {
  if (table.length < FOOTER || !table.subarray(-MAGIC.length).equals(MAGIC)) return false;
  try {
    const footer = new Bytes(table, table.length - FOOTER);
    const meta = [footer.varint(), footer.varint()] as const;
    const index = [footer.varint(), footer.varint()] as const;
    if (!isWhole(table, ...meta) || !isWhole(table, ...index)) return false;
    const [offset, size] = index;
    const stored = table.subarray(offset, offset + size);
    for (const [at, length] of handles(table[offset + size] === SNAPPY ? unsnappy(stored) : stored)) {
      if (!isWhole(table, at, length)) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
