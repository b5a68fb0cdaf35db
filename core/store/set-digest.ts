import { crc32 } from 'node:zlib';

/** Order-independent digest of a set of entries: the number of entries and the sum of their checksums. */
export class SetDigest {
  count: number;
  /** Sum of the checksums, modulo 2^32. */
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
 * CRC-32 of an entry for a `SetDigest`, over its key and value. Omit `value` for the record of a server: the stored
 * record can be older than the record in memory, so the checksum covers only the key.
 */
export function checksumOf(key: string, value?: Uint8Array): number {
  const checksum = crc32(key);
  return value ? crc32(value, checksum) : checksum;
}
