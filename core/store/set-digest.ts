import { crc32 } from 'node:zlib';

/**
 * Digest of a set of stored entries (keys with their values), which detects missing entries. It consists of the number
 * of entries and the sum of their checksums, so the order of the entries does not matter.
 */
export class SetDigest {
  count: number;
  /** Sum of the checksums of all entries (keys with their values) that this digest covers, modulo 2^32. */
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
 * Returns the checksum (CRC-32) of the key and the value of an entry. Omit `value` for the record of a server, because
 * a stored record can be older than the record in memory. The checksum then covers only the key.
 */
export function checksumOf(key: string, value?: Uint8Array): number {
  const checksum = crc32(key);
  return value ? crc32(value, checksum) : checksum;
}
