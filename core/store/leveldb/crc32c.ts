/**
 * Lookup tables of CRC-32C (Castagnoli polynomial, reflected 0x82f63b78), the checksum that LevelDB uses. node:zlib
 * only has CRC-32. Eight tables process eight bytes per step.
 */
const TABLES = Array.from({ length: 8 }, () => new Int32Array(256));
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  (TABLES[0] as Int32Array)[byte] = crc;
}
for (let step = 1; step < 8; step++) {
  const before = TABLES[step - 1] as Int32Array;
  for (let byte = 0; byte < 256; byte++) {
    const crc = before[byte] ?? 0;
    (TABLES[step] as Int32Array)[byte] = (crc >>> 8) ^ ((TABLES[0] as Int32Array)[crc & 255] ?? 0);
  }
}
const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as [
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
];

/** Returns the CRC-32C of the bytes from `start` to `end`, as an unsigned 32-bit integer. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = -1;
  let i = start;
  for (; i + 8 <= end; i += 8) {
    const low = crc ^ view.getInt32(i, true);
    const high = view.getInt32(i + 4, true);
    crc =
      (T7[low & 255] as number) ^
      (T6[(low >>> 8) & 255] as number) ^
      (T5[(low >>> 16) & 255] as number) ^
      (T4[low >>> 24] as number) ^
      (T3[high & 255] as number) ^
      (T2[(high >>> 8) & 255] as number) ^
      (T1[(high >>> 16) & 255] as number) ^
      (T0[high >>> 24] as number);
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ (T0[(crc ^ (bytes[i] as number)) & 255] as number);
  return ~crc >>> 0;
}

/** LevelDB rotates a CRC-32C, and adds this constant, before it stores the checksum (util/crc32c.h). */
const MASK = 0xa282ead8;

/** Returns the CRC-32C of the bytes from `start` to `end` as LevelDB stores it: rotated and masked. */
export function maskedCrc32c(bytes: Uint8Array, start: number, end: number): number {
  const crc = crc32c(bytes, start, end);
  return (((crc >>> 15) | (crc << 17)) + MASK) >>> 0;
}
