import { crc32 } from 'node:zlib';

/** What entries must be there at boot: how many, and the sum of their marks. Order does not matter. */
export class SetDigest {
  count: number;
  /** Modulo 2^32. */
  sum: number;

  constructor(count = 0, sum = 0) {
    this.count = count;
    this.sum = sum;
  }

  add(mark: number): void {
    this.count++;
    this.sum = (this.sum + mark) >>> 0;
  }

  take(mark: number): void {
    this.count--;
    this.sum = (this.sum - mark) >>> 0;
  }

  equals({ count, sum }: SetDigest): boolean {
    return count === this.count && sum === this.sum;
  }
}

/** The mark of an entry: of its key alone, where a lost change of its value is nothing that was acknowledged. */
export function digestOf(key: string, value?: Uint8Array): number {
  const mark = crc32(key);
  return value ? crc32(value, mark) : mark;
}
