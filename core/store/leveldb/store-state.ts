import { CHECKSUM_BYTES, checkedContent, writeChecksumInPlace } from '../checksummed.ts';
import { COUNTED, type Counted } from '../counted-prefixes.ts';
import { SCHEMA } from '../schema.ts';
import { SetDigest } from '../set-digest.ts';
import type { Operation } from '../storage-engine.ts';

/**
 * Key of the entry with the state of the store: its version, its last write and its digests. No other key begins with
 * `m/`.
 */
export const STATE_KEY = 'm/state';
/**
 * Version of the first store format with a digest (checksum of the entries) for every key prefix in COUNTED: servers,
 * tokens and credentials.
 */
const COUNTS_ALL = 2;

/** The state that a store records about itself with every write. The next start uses it to detect missing data. */
export interface StoreState {
  schema: number;
  /** Sequence number of the newest write of the store. Each write gets the next higher number. */
  sequence: number;
  digests: Record<Counted, SetDigest>;
}

/** Returns the state of an empty store. */
export function emptyState(): StoreState {
  return {
    schema: SCHEMA,
    sequence: 0,
    digests: { 's/': new SetDigest(), 't/': new SetDigest(), 'c/': new SetDigest() },
  };
}

/**
 * Updates the digests of a store state after a change of one entry: subtracts the checksum of the old entry, and adds
 * the checksum of the new entry. `operation`: the change.
 */
export function countOperation({ digests }: StoreState, operation: Operation): void {
  const { key, removes } = operation;
  const adds = operation.type === 'put' ? operation.adds : undefined;
  if (adds === undefined && removes === undefined) return;
  const digest = digests[key.slice(0, 2) as Counted];
  if (removes !== undefined) digest.subtract(removes);
  if (adds !== undefined) digest.addChecksum(adds);
}

const HEAD_BYTES = 12;
const DIGEST_BYTES = 8;
const LENGTH = CHECKSUM_BYTES + HEAD_BYTES + COUNTED.length * DIGEST_BYTES;
/**
 * Number of digests in a store of format version 1. Such a store has only the digests for the first two key prefixes in
 * COUNTED: those of servers and tokens.
 */
const COUNTED_BY_FIRST = 2;

/**
 * Encodes the state of a store. In little endian: checksum, schema (u32), sequence (f64), then count and sum (u32 each)
 * for each key prefix in COUNTED. `into`: buffer to write to, which can be reused.
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

/**
 * Decodes the state that a store records about itself (`StoreState`). Returns undefined if it is damaged. If a newer
 * release wrote it, decodes only `schema`, the version of the store format.
 */
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
