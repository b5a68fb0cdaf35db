import { ALL_BUCKETS, tagOfBucket } from '../../cluster/buckets.ts';

/** Number of hash slots of a Redis or Valkey cluster. Each slot belongs to one master. */
export const SLOTS = 16_384;
/** Generator polynomial of CRC-16/XMODEM, the checksum from which a cluster calculates the slot of a key. */
const POLYNOMIAL = 0x1021;

/**
 * Returns the hash slot of a Redis or Valkey key that contains the hash tag `{tag}`. The Redis Cluster specification
 * defines this computation.
 */
export function slotOfTag(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? POLYNOMIAL : 0)) & 0xffff;
  }
  return crc % SLOTS;
}

const slots = Uint16Array.from({ length: ALL_BUCKETS }, (_, bucket) => slotOfTag(tagOfBucket(bucket)));

/** Returns the hash slot that contains all Redis or Valkey keys of a bucket (group of servers). */
export function slotOfBucket(bucket: number): number {
  return slots[bucket] ?? 0;
}
