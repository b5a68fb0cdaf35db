import { CHECKSUM_BYTES, checkedContent, writeChecksumInPlace } from '../checksummed.ts';
import { COUNTED, type Counted } from '../counted-prefixes.ts';
import { SetDigest } from '../set-digest.ts';

/** The key of the state; no other key begins with `m`. */
export const STATE_KEY = 'm/state';
/**
 * The format this release writes. 0: before there was a state; 1: 0.1.0, whose records had no reason, and which knew no
 * credentials of servers; 2: records held their data as JSON.
 */
export const SCHEMA = 3;
/** The first schema that counts all of COUNTED. */
const COUNTS_ALL = 2;

/** What a store records about itself, with every write: how to tell at the next start whether anything is missing. */
export interface StoreState {
  schema: number;
  /** Grows by one with every write. */
  sequence: number;
  digests: Record<Counted, SetDigest>;
}

/** The state of a store that holds nothing yet. */
export function emptyState(): StoreState {
  return {
    schema: SCHEMA,
    sequence: 0,
    digests: { 's/': new SetDigest(), 't/': new SetDigest(), 'c/': new SetDigest() },
  };
}

const HEAD_BYTES = 12;
const DIGEST_BYTES = 8;
const LENGTH = CHECKSUM_BYTES + HEAD_BYTES + COUNTED.length * DIGEST_BYTES;
/** Prefixes that schema 1 counted: the first of COUNTED. */
const COUNTED_BY_FIRST = 2;

/**
 * Checksummed: schema u32 · sequence f64 · then for each counted prefix count u32, sum u32; little endian. Writes over
 * `into` if it is given, because a state goes with every write.
 */
export function encodeState(
  { schema, sequence, digests }: StoreState,
  into: Buffer = Buffer.alloc(LENGTH),
): Buffer {
  into.writeUInt32LE(schema, CHECKSUM_BYTES);
  into.writeDoubleLE(sequence, CHECKSUM_BYTES + 4);
  let at = CHECKSUM_BYTES + HEAD_BYTES;
  for (const prefix of COUNTED) {
    into.writeUInt32LE(digests[prefix].count, at);
    into.writeUInt32LE(digests[prefix].sum, at + 4);
    at += DIGEST_BYTES;
  }
  writeChecksumInPlace(STATE_KEY, into);
  return into;
}

/** Undefined if the value is not what `encodeState` wrote. Of a newer schema only the schema is read. */
export function decodeState(value: Buffer): StoreState | undefined {
  const content = checkedContent(STATE_KEY, value);
  if (!content || content.length < 4) return undefined;
  const schema = content.readUInt32LE(0);
  if (schema > SCHEMA) return { ...emptyState(), schema };
  const counted = schema >= COUNTS_ALL ? COUNTED : COUNTED.slice(0, COUNTED_BY_FIRST);
  if (content.length !== HEAD_BYTES + counted.length * DIGEST_BYTES) return undefined;
  const state = { ...emptyState(), schema, sequence: content.readDoubleLE(4) };
  let at = HEAD_BYTES;
  for (const prefix of counted) {
    state.digests[prefix] = new SetDigest(content.readUInt32LE(at), content.readUInt32LE(at + 4));
    at += DIGEST_BYTES;
  }
  return state;
}
