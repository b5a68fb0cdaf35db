import { constants, crc32, deflateRawSync } from 'node:zlib';
import { type ByteSink, deflateBlock } from './deflate.ts';

/** Gzip header: method deflate, no flags, no time, no extra flags, system Unix (RFC 1952, 2.3). */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);
/** An empty deflate block with fixed Huffman codes, marked as the last block (RFC 1951, 3.2.3). */
const LAST_BLOCK = Uint8Array.of(3, 0);
/**
 * Size in bytes of the length fields of a stored (uncompressed) deflate block: the length in 16 bits, and its bitwise
 * complement (RFC 1951, 3.2.4).
 */
const LENGTHS = 4;
const MAX_STORED = 0xffff;
/** Size in bytes of the trailer of a gzip member: checksum and length (RFC 1952, 2.3.1). */
const TRAILER = 8;

// `chunkSize` is the size in bytes of the buffers for zlib's compressed output. Node.js takes buffers of this size from
// a pool and need not allocate memory for each.
const FRAGMENT_OPTIONS = { level: 9, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 2048 };
/**
 * Size in bytes of the header of a compressed fragment. The header has three 32-bit words: the CRC-32 of the
 * uncompressed bytes, their length, and the result of `zeroFactor` for this length.
 */
const FRAGMENT_HEAD = 12;

/**
 * Compresses bytes into a fragment: a part of an answer that `GzipMember` can use any number of times. In the gzip
 * member, uncompressed text follows each fragment. Therefore the fragment also contains the start of the stored
 * (uncompressed) block for this text.
 */
export function deflateFragment(bytes: Uint8Array): Buffer {
  const flushed = deflateRawSync(bytes, FRAGMENT_OPTIONS);
  const fragment = Buffer.allocUnsafe(FRAGMENT_HEAD + flushed.length - LENGTHS);
  writeFragmentHead(bytes, fragment, 0);
  flushed.copy(fragment, FRAGMENT_HEAD, 0, flushed.length - LENGTHS);
  return fragment;
}

/**
 * Compresses bytes into a fragment and appends the fragment to `out`. Takes a third of the time of `deflateFragment`,
 * but the fragment is 20 % longer. Use this function for fragments that are used only once.
 */
export function deflateFragmentOnce(bytes: Uint8Array, out: ByteSink): void {
  writeFragmentHead(bytes, out.room(FRAGMENT_HEAD), out.length);
  out.length += FRAGMENT_HEAD;
  deflateBlock(bytes, out);
}

function writeFragmentHead(bytes: Uint8Array, fragment: Uint8Array, start: number): void {
  let at = start;
  for (const word of [crc32(bytes), bytes.length, zeroFactor(bytes.length)]) {
    for (let shift = 0; shift < 32; shift += 8) fragment[at++] = word >>> shift;
  }
}

/**
 * Writes one gzip member (RFC 1952) to the end of `out`. The member consists of compressed fragments and of
 * uncompressed text between them. `addFragment` appends a fragment. The caller appends text to `out` directly.
 */
export class GzipMember {
  readonly #out: ByteSink;
  /**
   * Offset in `out` of the length fields of the current stored (uncompressed) block. The fields are written when the
   * text of the block is complete.
   */
  #block: number;
  #crc = 0;
  #size = 0;

  constructor(out: ByteSink) {
    this.#out = out;
    append(out, HEADER, 0, HEADER.length);
    // Starts an uncompressed ("stored") deflate block, to which the caller appends text.
    out.room(1 + LENGTHS)[out.length] = 0;
    this.#block = out.length + 1;
    out.length += 1 + LENGTHS;
  }

  /**
   * Appends a compressed fragment: the bytes from `start` to `end` in `bytes`. Returns false if more than 65,535 bytes
   * of uncompressed text precede it. The caller must then discard the gzip member.
   */
  addFragment(bytes: Buffer, start: number, end: number): boolean {
    if (!this.#closeText()) return false;
    const size = bytes.readUInt32LE(start + 4);
    this.#crc = multiply(bytes.readInt32LE(start + 8), this.#crc) ^ bytes.readInt32LE(start);
    this.#size += size;
    const out = this.#out;
    append(out, bytes, start + FRAGMENT_HEAD, end);
    out.room(LENGTHS);
    this.#block = out.length;
    out.length += LENGTHS;
    return true;
  }

  /**
   * Completes the gzip member. Returns false if more than 65,535 bytes of uncompressed text follow the last compressed
   * fragment. The caller must then discard the gzip member.
   */
  finish(): boolean {
    if (!this.#closeText()) return false;
    const out = this.#out;
    append(out, LAST_BLOCK, 0, LAST_BLOCK.length);
    const bytes = out.room(TRAILER);
    let at = out.length;
    for (const word of [this.#crc, this.#size]) {
      for (let shift = 0; shift < 32; shift += 8) bytes[at++] = word >>> shift;
    }
    out.length = at;
    return true;
  }

  #closeText(): boolean {
    const out = this.#out;
    const at = this.#block;
    const start = at + LENGTHS;
    const length = out.length - start;
    if (length > MAX_STORED) return false;
    const bytes = out.room(0);
    bytes[at] = length;
    bytes[at + 1] = length >> 8;
    bytes[at + 2] = ~length;
    bytes[at + 3] = ~length >> 8;
    this.#crc = checksum(bytes, start, out.length, this.#crc);
    this.#size += length;
    return true;
  }
}

function append(out: ByteSink, source: Uint8Array, start: number, end: number): void {
  out.room(end - start).set(source.subarray(start, end), out.length);
  out.length += end - start;
}

/** The CRC-32 polynomial (RFC 1952, 8). The highest bit is the coefficient of the lowest power. */
const POLYNOMIAL = 0xedb88320 | 0;
/** The constant polynomial 1 in the bit order of CRC-32, in which the highest bit stands for x^0. */
const ONE = 1 << 31;

/** The CRC-32 of each byte value, as in the sample code of RFC 1952. */
const BYTE_CHECKSUMS = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});
/**
 * Maximum number of bytes for which a loop computes the CRC-32. For 27 bytes, the loop takes 0.04 µs and zlib's crc32
 * 0.2 µs.
 */
const LOOP_BYTES = 128;

/** Continues the CRC-32 `crc` with the bytes from `start` to `end`. */
function checksum(bytes: Uint8Array, start: number, end: number, crc: number): number {
  if (end - start > LOOP_BYTES) return crc32(bytes.subarray(start, end), crc >>> 0) | 0;
  let rest = ~crc;
  for (let i = start; i < end; i++) {
    rest = (rest >>> 8) ^ (BYTE_CHECKSUMS[(rest ^ (bytes[i] ?? 0)) & 0xff] ?? 0);
  }
  return ~rest;
}

/**
 * Multiplies two polynomials over GF(2), modulo the CRC-32 polynomial, as zlib does in `crc32_combine`. The loop has
 * no conditional branches, so it takes only 0.04 µs instead of 0.2 µs.
 */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  let rest = a;
  for (let i = 0; i < 32; i++) {
    product ^= shifted & (rest >> 31);
    rest <<= 1;
    shifted = (shifted >>> 1) ^ (POLYNOMIAL & -(shifted & 1));
  }
  return product;
}

/**
 * Returns x^(8 * length), modulo the CRC-32 polynomial. `GzipMember` needs this factor to combine the CRC-32s of two
 * texts. `length` is the length of the second text in bytes.
 */
function zeroFactor(length: number): number {
  // Computes x^(8 * length) by repeated squaring. `square` is first x^8 (for one byte), then x^16 (for two bytes), then
  // x^32 (for four bytes), and so on.
  let square = ONE >>> 8;
  let power = ONE;
  for (let rest = length; rest > 0; rest >>>= 1) {
    if (rest & 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}
