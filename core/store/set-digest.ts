import { crc32 } from 'node:zlib';

/**
 * Digest of a set of stored entries: their number, and the sum of their checksums. It detects missing entries, and does
 * not depend on their order.
 */
export class SetDigest {
  count: number;
  /** Sum of the checksums of all entries in this digest, modulo 2^32. */
  sum: number;

  constructor(count = 0, sum = 0) {
    this.count = count;
    this.sum = sum;
  }

  addChecksum(checksum: number): void {
    this.count++;
    this.sum = (this.sum + checksum) >>> 0;
  }

  subtract(checksum: number): void {
    this.count--;
    this.sum = (this.sum - checksum) >>> 0;
  }

  equals({ count, sum }: SetDigest): boolean {
    return count === this.count && sum === this.sum;
  }
}

/**
 * Returns the checksum (CRC-32) of the key and the value of an entry. For a server, omit `value`: its stored record can
 * be outdated, so the checksum covers only the key.
 */
export function checksumOf(key: string, value?: Uint8Array): number {
  const checksum = crc32(key);
  return value ? crc32(value, checksum) : checksum;
}
