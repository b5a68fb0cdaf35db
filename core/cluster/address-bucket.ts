import { SERVER_BUCKETS } from './buckets.ts';

const COLON = 0x3a;
/** The reversed polynomial of CRC-32 (ISO/IEC 13239), which zlib uses. */
const POLYNOMIAL = 0xedb88320;

/** Lookup table for CRC-32: the remainder of each byte, indexed by the byte. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/**
 * Returns the bucket (group of servers) of the canonical address `host:port` in `text`, from `start` to `end`. The port
 * has no influence. Takes 0.13 µs; `bucketOfServer` takes 0.5 µs, because it needs a string.
 */
export function bucketOfAddress(text: Uint8Array, start: number, end: number): number {
  let hostEnd = end;
  for (let i = end - 1; i >= start; i--) {
    if (text[i] !== COLON) continue;
    hostEnd = i;
    break;
  }
  let crc = -1;
  for (let i = start; i < hostEnd; i++)
    crc = (crc >>> 8) ^ (TABLE[(crc ^ (text[i] as number)) & 0xff] as number);
  return (~crc >>> 0) % SERVER_BUCKETS;
}
