import { crc32 } from 'node:zlib';

/** Order-independent digest of a set of entries: their count and the sum of their checksums. */
export class SetDigest {
  count: number;
  /** Modulo 2^32. */
  sum: number;

  constructor(count = 0, sum = 0) {
    this.count = count;
    this.sum = sum;
  }

  add(checksum: number): void {
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
 * CRC-32 of an entry for a `SetDigest`: of its key and value, or of its key alone if its value may be older than the last
 * that was written (the record of a server).
 */
export function checksumOf(key: string, value?: Uint8Array): number {
  const checksum = crc32(key);
  return value ? crc32(value, checksum) : checksum;
}
