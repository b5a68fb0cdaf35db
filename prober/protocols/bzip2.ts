// Decompresses bzip2 data in the replies of game servers. Source:
// https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf. The authors of bzip2 published no description of
// the format.

import { MalformedReply } from './protocol.ts';

/** Maximum size of the compressed input, bytes. The output has the same maximum size. */
export const MAX_BZIP2_BYTES = 64 * 1024;

const BLOCK_MAGIC_HIGH = 0x314159;
const BLOCK_MAGIC_LOW = 0x265359;
const END_MAGIC_HIGH = 0x177245;
const END_MAGIC_LOW = 0x385090;

const MIN_TABLES = 2;
const MAX_TABLES = 6;
const MAX_CODE_BITS = 20;
/** Number of symbols in a group of a bzip2 block. All symbols of a group are decoded with the same Huffman table. */
const GROUP_SIZE = 50;
const RUN_A = 0;
const RUN_B = 1;

/** Number of equal bytes after which bzip2 writes a count byte. The count byte is the number of further equal bytes. */
const RUN_LENGTH = 4;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc;
});

/**
 * Decompresses `input` (one bzip2 block) to exactly `size` bytes. Throws MalformedReply if the data is not valid, or
 * larger than `MAX_BZIP2_BYTES`.
 */
export function decompressBzip2(input: Buffer, size: number): Buffer {
  if (input.length > MAX_BZIP2_BYTES || size > MAX_BZIP2_BYTES) {
    throw new MalformedReply(`more than ${MAX_BZIP2_BYTES} bytes of bzip2`);
  }
  const bits = new BitReader(input);
  const isStream = bits.read(16) === 0x425a && bits.read(8) === 0x68; // The stream must start with `BZh`.
  const level = bits.read(8) - 0x30;
  if (!isStream || level < 1 || level > 9) throw new MalformedReply('not bzip2');
  if (bits.read(24) !== BLOCK_MAGIC_HIGH || bits.read(24) !== BLOCK_MAGIC_LOW) {
    throw new MalformedReply('bzip2 without a block');
  }
  const crc = bits.readCrc();
  if (bits.bit() !== 0) throw new MalformedReply('bzip2 of a form given up in 1999');
  const start = bits.read(24);
  // `block` is still run-length encoded. This encoding adds at most one byte to every four bytes, so `block` is at most
  // 5/4 as long as `output`.
  const block = readBlock(bits, Math.floor((size * 5) / RUN_LENGTH));
  const output = expandRuns(unsort(block, start), size);
  if (crcOf(output) !== crc) throw new MalformedReply('bzip2 with a wrong block checksum');
  const ends = bits.read(24) === END_MAGIC_HIGH && bits.read(24) === END_MAGIC_LOW;
  // The bzip2 stream has only one block, so the checksum of the stream must equal the checksum of the block.
  if (!ends || bits.readCrc() !== crc) throw new MalformedReply('bzip2 that does not end after its block');
  if (bits.remaining >= 8) throw new MalformedReply('bytes behind the end of bzip2');
  return output;
}

/** Reads a buffer bit by bit. The highest bit of each byte comes first. */
class BitReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Number of bits of the buffer that have not been read yet. */
  get remaining(): number {
    return this.#bytes.length * 8 - this.#at;
  }

  bit(): number {
    const byte = this.#bytes[this.#at >> 3];
    if (byte === undefined) throw new MalformedReply('bzip2 cut short');
    const bit = (byte >> (7 - (this.#at & 7))) & 1;
    this.#at++;
    return bit;
  }

  /** Reads `count` bits, at most 31, and returns them as a number. */
  read(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) value = (value << 1) | this.bit();
    return value;
  }

  readCrc(): number {
    return this.read(16) * 0x10000 + this.read(16);
  }
}

/** A canonical Huffman code. The lengths of its code words determine it completely. */
class HuffmanTable {
  /** Number of Huffman codes of each length. The index is the length in bits. */
  readonly #counts = new Uint16Array(MAX_CODE_BITS + 1);
  /** Decoded values (symbols), sorted by the length of their Huffman codes. */
  readonly #symbols: number[];

  constructor(lengths: number[]) {
    for (const length of lengths) this.#counts[length] = (this.#counts[length] ?? 0) + 1;
    let unused = 1;
    for (const count of this.#counts.subarray(1)) {
      unused = unused * 2 - count;
      if (unused < 0) throw new MalformedReply('bzip2 with more codes than there are');
    }
    this.#symbols = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  }

  decode(bits: BitReader): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= MAX_CODE_BITS; length++) {
      code = code * 2 + bits.bit();
      const count = this.#counts[length] ?? 0;
      const symbol = code < first + count ? this.#symbols[index + code - first] : undefined;
      if (symbol !== undefined) return symbol;
      index += count;
      first = (first + count) * 2;
    }
    throw new MalformedReply('bzip2 with a code that stands for nothing');
  }
}

/**
 * Reads and decodes a block of the bzip2 data. The result is the output of the Burrows-Wheeler transform, which
 * `unsort` inverts.
 */
function readBlock(bits: BitReader, maxLength: number): Uint8Array {
  /** The byte values that occur in this block of the bzip2 data. The most recently used value comes first. */
  const recent = readUsedBytes(bits);
  const endOfBlock = recent.length + 1;
  const tableCount = bits.read(3);
  if (tableCount < MIN_TABLES || tableCount > MAX_TABLES) throw new MalformedReply('bzip2 without tables');
  const selectors = readSelectors(bits, tableCount);
  const tables = Array.from({ length: tableCount }, () => readTable(bits, endOfBlock + 1));

  const block = new Uint8Array(maxLength);
  let length = 0;
  // Length of the current run of equal bytes. bzip2 writes this length in bijective base 2, lowest digit first. `RUN_A`
  // is the digit 1, and `RUN_B` is the digit 2.
  let run = 0;
  // The power of 2 for the next symbol: 1, 2, 4 and so on. For example, `RUN_A`, `RUN_B` mean 1·1 + 2·2 = 5.
  let worth = 1;
  for (const selector of selectors) {
    const table = tables[selector];
    if (!table) throw new MalformedReply('bzip2 with a table too few');
    for (let i = 0; i < GROUP_SIZE; i++) {
      const symbol = table.decode(bits);
      if (symbol <= RUN_B) {
        run += worth * (symbol === RUN_A ? 1 : 2);
        worth *= 2;
        if (length + run > maxLength) throw new MalformedReply('bzip2 of more than was announced');
        continue;
      }
      if (run > 0) {
        block.fill(recent[0] ?? 0, length, length + run);
        length += run;
        run = 0;
        worth = 1;
      }
      if (symbol === endOfBlock) return block.subarray(0, length);
      if (length === maxLength) throw new MalformedReply('bzip2 of more than was announced');
      const byte = recent[symbol - 1] ?? 0;
      recent.copyWithin(1, 0, symbol - 1);
      recent[0] = byte;
      block[length++] = byte;
    }
  }
  throw new MalformedReply('bzip2 with a block that does not end');
}

/**
 * Reads the byte values that occur in a bzip2 block, from a bitmap with two levels. The first 16 bits show which groups
 * of 16 values occur. Then 16 bits for each of these groups show which of its values occur.
 */
function readUsedBytes(bits: BitReader): Uint8Array {
  const sixteens = bits.read(16);
  const used: number[] = [];
  for (let high = 0; high < 16; high++) {
    if (!((sixteens >> (15 - high)) & 1)) continue;
    const present = bits.read(16);
    for (let low = 0; low < 16; low++) {
      if ((present >> (15 - low)) & 1) used.push(high * 16 + low);
    }
  }
  if (used.length === 0) throw new MalformedReply('bzip2 of no bytes');
  return Uint8Array.from(used);
}

/**
 * Reads the selectors of a bzip2 block. Each selector specifies the Huffman table of one group of symbols. The
 * selectors are move-to-front encoded.
 */
function readSelectors(bits: BitReader, tableCount: number): number[] {
  const count = bits.read(15);
  const recent = Array.from({ length: tableCount }, (_, table) => table);
  const selectors: number[] = [];
  for (let i = 0; i < count; i++) {
    let position = 0;
    while (bits.bit() === 1) position++;
    const [table] = recent.splice(position, 1);
    if (table === undefined) throw new MalformedReply('bzip2 with a table too few');
    recent.unshift(table);
    selectors.push(table);
  }
  return selectors;
}

/** Reads a Huffman table. Each code length is encoded as a difference from the previous code length. */
function readTable(bits: BitReader, symbols: number): HuffmanTable {
  let length = bits.read(5);
  const lengths: number[] = [];
  for (let symbol = 0; symbol < symbols; symbol++) {
    for (;;) {
      if (length < 1 || length > MAX_CODE_BITS) throw new MalformedReply('bzip2 with a code too long');
      if (bits.bit() === 0) break;
      length += bits.bit() === 0 ? 1 : -1;
    }
    lengths.push(length);
  }
  return new HuffmanTable(lengths);
}

/**
 * Inverts the Burrows-Wheeler transform, which sorts all rotations of a text into the rows of a table. `block`: last
 * column of the table. `start`: index of the row with the original text.
 */
function unsort(block: Uint8Array, start: number): Uint8Array {
  if (start >= block.length) throw new MalformedReply('bzip2 with a block that begins nowhere');
  const ranks = new Uint32Array(256);
  for (const byte of block) ranks[byte] = (ranks[byte] ?? 0) + 1;
  let sum = 0;
  for (const [byte, count] of ranks.entries()) {
    ranks[byte] = sum;
    sum += count;
  }
  const next = new Uint32Array(block.length);
  for (const [row, byte] of block.entries()) {
    const rank = ranks[byte] ?? 0;
    next[rank] = row;
    ranks[byte] = rank + 1;
  }
  const output = new Uint8Array(block.length);
  let row = next[start] ?? 0;
  for (let i = 0; i < output.length; i++) {
    output[i] = block[row] ?? 0;
    row = next[row] ?? 0;
  }
  return output;
}

function expandRuns(bytes: Uint8Array, size: number): Buffer {
  const output = Buffer.alloc(size);
  let length = 0;
  let run = 0;
  let last = -1;
  for (const byte of bytes) {
    const repeats = run === RUN_LENGTH ? byte : 1;
    if (run === RUN_LENGTH) {
      run = 0;
    } else {
      run = byte === last ? run + 1 : 1;
      last = byte;
    }
    if (length + repeats > size) throw new MalformedReply('bzip2 of more than was announced');
    output.fill(last, length, length + repeats);
    length += repeats;
  }
  if (length !== size) throw new MalformedReply(`bzip2 of ${length} bytes instead of ${size}`);
  return output;
}

function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc << 8) ^ (CRC_TABLE[(crc >>> 24) ^ byte] ?? 0);
  return ~crc >>> 0;
}
