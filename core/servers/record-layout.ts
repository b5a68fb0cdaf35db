/**
 * Fields in the header of a server record, with their number of bits. Integers are unsigned, little endian; 64 bits are
 * a double. If fields share a byte, the first has the lowest bits.
 */
const FIELDS = [
  ['format', 8],
  ['status', 2], // index in `statuses`
  ['clean', 3],
  ['emptyTicks', 3],
  ['label', 3], // index in `labels`
  ['sameTicks', 5],
  ['inserterLength', 7], // bytes
  ['isPublic', 1],
  ['checksum', 32], // CRC-32 of all other bytes of a stored record; in memory, the hash of the address
  ['intervalMs', 32],
  ['reason', 4], // index in `reasons`
  ['answers', 4],
  ['limitEvidence', 8], // tenths of a nat
  ['queryPort', 16],
  ['version', 32],
  ['dataLength', 24], // bytes
  ['lossShare', 8], // in units of 1/255
  ['insertedAt', 64],
  ['lastProbeAt', 64],
  ['lastOnlineAt', 64],
  ['nextProbeAt', 64],
  ['openHourLength', 8], // bytes
  // Only the table of servers in memory uses the fields `addressLength`, `game` and `slot` (index in this table). They
  // are 0 in a stored record.
  ['addressLength', 16], // bytes
  ['game', 16], // number of the game in the table in memory
  ['slot', 32],
] as const;

type FieldName = (typeof FIELDS)[number][0];

/** Position and size of a field in the header of a server record. */
export interface Field {
  /** Offset of the first byte of the field from the beginning of the header of a server record. */
  readonly at: number;
  /** Number of bytes that the field occupies in the header of a server record. */
  readonly bytes: number;
  /**
   * Position of the field's lowest bit in the first byte that contains the field. It is 0 if no other field shares this
   * byte.
   */
  readonly shift: number;
  /** Maximum value of the field, if the field has at most 32 bits. Do not use it for longer fields. */
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

/** All fields of the header of a server record, keyed by name. */
export const LAYOUT: Readonly<Record<FieldName, Field>> = fields;
/**
 * Length of the header of a server record, bytes. After the header, a stored record contains the id of the inserter,
 * the data, and the samples of the unfinished hour. A record in memory also contains the canonical address, directly
 * after the header.
 */
export const HEADER = bytes;
/**
 * Offset of the last fields in the header of a server record, bytes. Only the table of servers in memory uses these
 * fields. In a stored record, they are 0.
 */
export const IN_MEMORY = LAYOUT.addressLength.at;

/**
 * Reads an integer field from the header that begins at `start` in `record`. This function is too slow for code that
 * runs often.
 */
export function readField(record: Buffer, start: number, { at, bytes, shift, max }: Field): number {
  const value = record.readUIntLE(start + at, bytes);
  return bytes === 1 ? (value >> shift) & max : value;
}
