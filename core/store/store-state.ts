import { CONTENT, checkedContent, writeChecksumInPlace } from './checksummed.ts';
import { SetDigest } from './set-digest.ts';

/** The key of the state; no other key begins like it. */
export const STATE_KEY = 'm/state';
/**
 * The format this release writes. 0: before there was a state; 1: 0.1.0, whose records had no reason, and which knew no
 * credentials of servers; 2: records held their data as JSON.
 */
export const SCHEMA = 3;
/** The first schema that counts all of COUNTED. */
const COUNTS_ALL = 2;

/** Prefixes of the keys whose entries are counted: servers, tokens, credentials of servers. */
export const COUNTED = ['s/', 't/', 'c/'] as const;
export type Counted = (typeof COUNTED)[number];

/** What a store says of itself, in every write. */
export interface StoreState {
  schema: number;
  /** Grows by one with every write. */
  sequence: number;
  tallies: Record<Counted, SetDigest>;
}

/** Of a store in which nothing is yet. */
export function emptyState(): StoreState {
  return {
    schema: SCHEMA,
    sequence: 0,
    tallies: { 's/': new SetDigest(), 't/': new SetDigest(), 'c/': new SetDigest() },
  };
}

const HEAD_BYTES = 12;
const TALLY_BYTES = 8;
const LENGTH = CONTENT + HEAD_BYTES + COUNTED.length * TALLY_BYTES;
/** Prefixes that schema 1 counted: the first of COUNTED. */
const COUNTED_BY_FIRST = 2;

/**
 * Sealed: schema u32 · sequence f64 · then of each prefix that is counted count u32, sum u32; little endian. `into` is
 * written where it is given, for a state goes with every write.
 */
export function encodeState(
  { schema, sequence, tallies }: StoreState,
  into: Buffer = Buffer.alloc(LENGTH),
): Buffer {
  into.writeUInt32LE(schema, CONTENT);
  into.writeDoubleLE(sequence, CONTENT + 4);
  let at = CONTENT + HEAD_BYTES;
  for (const prefix of COUNTED) {
    into.writeUInt32LE(tallies[prefix].count, at);
    into.writeUInt32LE(tallies[prefix].sum, at + 4);
    at += TALLY_BYTES;
  }
  writeChecksumInPlace(STATE_KEY, into);
  return into;
}

/** Undefined where the value is not what `encodeState` wrote. Of a newer schema only that is read. */
export function decodeState(value: Buffer): StoreState | undefined {
  const content = checkedContent(STATE_KEY, value);
  if (!content || content.length < 4) return undefined;
  const schema = content.readUInt32LE(0);
  if (schema > SCHEMA) return { ...emptyState(), schema };
  const counted = schema >= COUNTS_ALL ? COUNTED : COUNTED.slice(0, COUNTED_BY_FIRST);
  if (content.length !== HEAD_BYTES + counted.length * TALLY_BYTES) return undefined;
  const state = { ...emptyState(), schema, sequence: content.readDoubleLE(4) };
  let at = HEAD_BYTES;
  for (const prefix of counted) {
    state.tallies[prefix] = new SetDigest(content.readUInt32LE(at), content.readUInt32LE(at + 4));
    at += TALLY_BYTES;
  }
  return state;
}
