/**
 * The header of an encoded record, from its first bit on: name and bits of each field. Integers are unsigned and little
 * endian, 64 bits are a double; fields of less than a byte fill it from the lowest bit. Behind the header come the id of
 * the inserter and the data; in memory the canonical address stands before these. What a field means is said at
 * `ServerRecord` and `ProbeHistory`.
 */
const FIELDS = [
  ['format', 8],
  ['status', 2], // index in `statuses`
  ['clean', 3],
  ['emptyTicks', 3],
  ['label', 3], // index in `labels`
  ['sameTicks', 5],
  ['inserterLength', 8], // bytes
  ['checksum', 32], // CRC-32 of all other bytes; in memory the hash of the address instead
  ['intervalMs', 32],
  ['reason', 4], // index in `reasons`
  ['answers', 4],
  ['limitEvidence', 8], // tenths of a nat
  ['queryPort', 16],
  ['version', 32],
  ['dataLength', 24], // bytes
  ['lossShare', 8], // of 255
  ['insertedAt', 64],
  ['lastProbeAt', 64],
  ['lastOnlineAt', 64],
  ['nextProbeAt', 64],
  // 0 where stored: only the table in memory knows them.
  ['addressLength', 16], // bytes
  ['game', 16], // number of the game in the table
  ['slot', 32],
] as const;

type FieldName = (typeof FIELDS)[number][0];

/** Where a field lies in the header, and how wide it is. */
export interface Field {
  /** Offset of its first byte. */
  readonly at: number;
  /** How many bytes hold it. */
  readonly bytes: number;
  /** Its lowest bit in the first byte: not 0 only if it shares that byte. */
  readonly shift: number;
  /** The highest value it can hold, of one of at most 32 bits. */
  readonly max: number;
}

function layOut(): { fields: Record<FieldName, Field>; bytes: number } {
  const fields: Partial<Record<FieldName, Field>> = {};
  let bit = 0;
  for (const [name, bits] of FIELDS) {
    fields[name] = {
      at: bit >> 3,
      bytes: Math.ceil(bits / 8),
      shift: bit & 7,
      max: 2 ** Math.min(bits, 32) - 1,
    };
    bit += bits;
  }
  return { fields: fields as Record<FieldName, Field>, bytes: bit / 8 };
}

const { fields, bytes } = layOut();

/** Every field by its name. */
export const LAYOUT: Readonly<Record<FieldName, Field>> = fields;
/** Length of the header, in bytes. */
export const HEADER = bytes;
/** Offset of the fields that only the table in memory knows. */
export const IN_MEMORY = LAYOUT.addressLength.at;

/** Reads any integer field of the header that begins at `start`. For paths that are not hot: others read their own field. */
export function readField(record: Buffer, start: number, { at, bytes, shift, max }: Field): number {
  const value = record.readUIntLE(start + at, bytes);
  return bytes === 1 ? (value >> shift) & max : value;
}
