import { crc32 } from 'node:zlib';

/** What a sealed value begins with; nothing that was stored before values were sealed does. */
const SEAL = 0x01;
/** The format byte and the checksum, in bytes. */
const HEAD = 5;

/** Writes the checksum of `key` and of all that follows it into a sealed value. */
export function writeChecksumInPlace(key: string, value: Buffer): void {
  value[0] = SEAL;
  value.writeUInt32LE(checksum(key, value), 1);
}

/** A value as it is stored: a format byte, a CRC-32 of key and content, the content. */
export function addChecksum(key: string, content: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(HEAD + content.length);
  value.set(content, HEAD);
  writeChecksumInPlace(key, value);
  return value;
}

/** Where the content of a sealed value begins, in bytes. */
export const CONTENT = HEAD;

export function isChecksummed(value: Uint8Array): boolean {
  return value[0] === SEAL;
}

/** The content of a sealed value; undefined where it is not what was sealed under this key. */
export function checkedContent(key: string, value: Buffer): Buffer | undefined {
  if (value.length < HEAD || !isChecksummed(value)) return undefined;
  return value.readUInt32LE(1) === checksum(key, value) ? value.subarray(HEAD) : undefined;
}

function checksum(key: string, value: Buffer): number {
  return crc32(value.subarray(HEAD), crc32(key));
}
