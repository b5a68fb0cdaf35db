import { crc32 } from 'node:zlib';

/**
 * First byte of a value that has a checksum. Values of old releases, which have no checksum, begin with other bytes.
 */
const FORMAT = 0x01;
/** Number of bytes before the content of a checksummed value: one format byte and four bytes of checksum. */
export const CHECKSUM_BYTES = 5;

/**
 * Writes the format byte and the checksum of `key` and content into the first CHECKSUM_BYTES bytes of `value`. The
 * content must already follow these bytes.
 */
export function writeChecksumInPlace(key: string, value: Buffer): void {
  value[0] = FORMAT;
  value.writeUInt32LE(checksum(key, value), 1);
}

/** Returns the stored form of a value: a format byte, a CRC-32 of key and content, then the content. */
export function addChecksum(key: string, content: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(CHECKSUM_BYTES + content.length);
  value.set(content, CHECKSUM_BYTES);
  writeChecksumInPlace(key, value);
  return value;
}

/** True if a stored value begins with a checksum. Values from releases before 0.1.0 can lack a checksum. */
export function isChecksummed(value: Uint8Array): boolean {
  return value[0] === FORMAT;
}

/** Returns the content of a checksummed value, or undefined if the checksum does not match `key` and the content. */
export function checkedContent(key: string, value: Buffer): Buffer | undefined {
  if (value.length < CHECKSUM_BYTES || !isChecksummed(value)) return undefined;
  return value.readUInt32LE(1) === checksum(key, value) ? value.subarray(CHECKSUM_BYTES) : undefined;
}

function checksum(key: string, value: Buffer): number {
  return crc32(value.subarray(CHECKSUM_BYTES), crc32(key));
}
