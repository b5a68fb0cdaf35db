/** A growing byte array, to which `deflateBlock` and `GzipMember` append at the offset `length`. */
export interface ByteSink {
  /** Number of bytes written so far. */
  length: number;
  /** Makes space for `more` bytes. Returns the array to write to. */
  room(more: number): Uint8Array;
}

/**
 * Minimum length of a match in bytes (RFC 1951, 3.2.5). A match is a repetition of earlier bytes. `deflateBlock` finds
 * a match by the hash of its first three bytes.
 */
const MIN_MATCH = 3;
const MAX_MATCH = 258;
const MAX_DISTANCE = 32 * 1024;
const HASH_BITS = 12;
/**
 * Returns the maximum number of bytes that `deflateBlock` writes for `length` input bytes. Each input byte takes at
 * most 9 bits. All other bits fit into four more bytes: the header and the end of this block, and the header of the
 * block that follows.
 */
const mostBytes = (length: number): number => length + (length >>> 3) + 4;

/**
 * Reverses the bits of a Huffman code. Deflate writes codes with the highest bit first, and all other values with the
 * lowest bit first (RFC 1951, 3.1.1).
 */
function reversed(code: number, bits: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) result = (result << 1) | ((code >>> bit) & 1);
  return result;
}

/**
 * Each element of a code table is a number that contains a Huffman code and its length. The lowest COUNT_BITS bits are
 * the length, and the higher bits are the code.
 */
const COUNT_BITS = 5;
const COUNT_MASK = (1 << COUNT_BITS) - 1;
/** Packs a Huffman code and its length into one number. `count`: length of the code in bits. */
const entry = (bits: number, count: number): number => (bits << COUNT_BITS) | count;

/** Returns the fixed code of a literal or length symbol (RFC 1951, 3.2.6). */
function fixedCode(symbol: number): { bits: number; count: number } {
  const [first, code, count] =
    symbol < 144
      ? [0, 0x30, 8]
      : symbol < 256
        ? [144, 0x190, 9]
        : symbol < 280
          ? [256, 0, 7]
          : [280, 0xc0, 8];
  return { bits: reversed(code + symbol - first, count), count };
}

const LITERALS = Int32Array.from({ length: 256 }, (_, byte) => {
  const { bits, count } = fixedCode(byte);
  return entry(bits, count);
});

const LENGTHS = new Int32Array(MAX_MATCH + 1);
for (let symbol = 257, length = MIN_MATCH; symbol < 285; symbol++) {
  const extra = symbol < 265 ? 0 : (symbol - 261) >> 2;
  const { bits, count } = fixedCode(symbol);
  for (let i = 0; i < 1 << extra; i++) LENGTHS[length++] = entry(bits | (i << count), count + extra);
}
LENGTHS[MAX_MATCH] = entry(fixedCode(285).bits, fixedCode(285).count);

const DISTANCES = new Int32Array(MAX_DISTANCE + 1);
for (let symbol = 0, distance = 1; symbol < 30; symbol++) {
  const extra = symbol < 4 ? 0 : (symbol - 2) >> 1;
  for (let i = 0; i < 1 << extra; i++)
    DISTANCES[distance++] = entry(reversed(symbol, 5) | (i << 5), 5 + extra);
}

/**
 * Hash table with which `deflateBlock` finds repetitions of earlier bytes. The key is a hash of MIN_MATCH bytes. The
 * value is the position where bytes with this hash were last seen. Positions increase from call to call, so a call can
 * recognise and ignore the entries of earlier calls.
 */
const positions = new Int32Array(1 << HASH_BITS);
/**
 * Position of the first input byte of the current `deflateBlock` call. Input byte `i` has the position `base + i`,
 * which is stored in the hash table `positions`.
 */
let base = 1;
/**
 * Maximum of `base` at the start of a `deflateBlock` call, so that all positions fit into 32 bits. If `base` is
 * greater, the call clears the table `positions` and sets `base` to 1.
 */
const MAX_BASE = 2 ** 24;

/**
 * Compresses bytes to a deflate block with fixed codes (RFC 1951) and starts the next block. Replaces zlib for short
 * texts: 600 bytes take 4 µs instead of 12 µs, and become 360 bytes instead of 300.
 */
export function deflateBlock(input: Uint8Array, out: ByteSink): void {
  const { length } = input;
  const bytes = out.room(mostBytes(length));
  if (base > MAX_BASE) {
    positions.fill(0);
    base = 1;
  }
  let at = out.length;
  // Header bits of a deflate block that uses fixed codes and is not the last block.
  let pending = 0b010;
  let count = 3;
  let i = 0;
  while (i < length) {
    let match = 0;
    let distance = 0;
    if (i + MIN_MATCH <= length) {
      const hash = hashAt(input, i);
      const from = (positions[hash] ?? 0) - base;
      positions[hash] = base + i;
      if (from >= 0 && i - from <= MAX_DISTANCE) {
        match = matchOf(input, from, i);
        distance = i - from;
      }
    }
    let code = 0;
    if (match >= MIN_MATCH) {
      code = LENGTHS[match] ?? 0;
      pending |= (code >>> COUNT_BITS) << count;
      count += code & COUNT_MASK;
      while (count >= 8) {
        bytes[at++] = pending;
        pending >>>= 8;
        count -= 8;
      }
      code = DISTANCES[distance] ?? 0;
      const end = i + match;
      const last = Math.min(end, length - MIN_MATCH + 1);
      for (i++; i < last; i++) positions[hashAt(input, i)] = base + i;
      i = end;
    } else {
      code = LITERALS[input[i++] ?? 0] ?? 0;
    }
    pending |= (code >>> COUNT_BITS) << count;
    count += code & COUNT_MASK;
    while (count >= 8) {
      bytes[at++] = pending;
      pending >>>= 8;
      count -= 8;
    }
  }
  base += length;
  // Appends ten zero bits: the end-of-block code (seven bits), and the header of the stored (uncompressed) block that
  // follows (three bits). Then fills the last byte with zero bits.
  for (count += 10; count > 0; count -= 8) {
    bytes[at++] = pending;
    pending >>>= 8;
  }
  out.length = at;
}

function hashAt(bytes: Uint8Array, at: number): number {
  const three = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
  return Math.imul(three, 0x9e3779b1) >>> (32 - HASH_BITS);
}

/**
 * Returns the length of a match: the number of equal bytes before the first difference. Compares the bytes that begin
 * at the offsets `from` and `to`.
 */
function matchOf(bytes: Uint8Array, from: number, to: number): number {
  const most = Math.min(MAX_MATCH, bytes.length - to);
  let length = 0;
  while (length < most && bytes[from + length] === bytes[to + length]) length++;
  return length;
}
