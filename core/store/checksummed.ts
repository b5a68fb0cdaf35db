import { crc32 } from 'node:zlib';

/** First byte of a checksummed value. No value that was stored without a checksum begins with it. */
const FORMAT = 0x01;
/** Bytes before the content of a checksummed value: the format byte and the checksum. */
export const CHECKSUM_BYTES = 5;

/** Writes the format byte and the checksum of `key` and content into a value whose first CHECKSUM_BYTES are free. */
export function writeChecksumInPlace(key: string, value: Buffer): void {
  value[0] = FORMAT;
  value.writeUInt32LE(checksum(key, value), 1);
}

/** A value as it is stored: a format byte, a CRC-32 of key and content, the content. */
export function addChecksum(key: string, content: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(CHECKSUM_BYTES + content.length);
  value.set(content, CHECKSUM_BYTES);
  writeChecksumInPlace(key, value);
  return value;
}

/** Whether a stored value begins with a checksum; values of releases before 0.1.0 may not. */
export function isChecksummed(value: Uint8Array): boolean {
  return value[0] === FORMAT;
}

/** The content of a checksummed value; undefined if the checksum does not match this key and content. */
export function checkedContent(key: string, value: Buffer): Buffer | undefined {
  if (value.length < CHECKSUM_BYTES || !isChecksummed(value)) return undefined;
  return value.readUInt32LE(1) === checksum(key, value) ? value.subarray(CHECKSUM_BYTES) : undefined;
}

function checksum(key: string, value: Buffer): number {
  return crc32(value.subarray(CHECKSUM_BYTES), crc32(key));
}
