import { addChecksum, checkedContent, isChecksummed } from '../store/checksummed.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { CountedPut } from '../store/storage-engine.ts';
import type { Token } from './token.ts';

/** Prefix of the stored keys of tokens; the id of the token follows. */
export const TOKENS = 't/';

/** A token as releases before keyed hashes stored it: the SHA-256 of its one secret, hexadecimal. */
export type UnkeyedToken = Omit<Token, 'secrets'> & { hash: string };

/** A stored token as it was read. */
export interface StoredToken {
  readonly token: Token | UnkeyedToken;
  /** Checksum of the entry (`checksumOf`). */
  readonly checksum: number;
  /** Whether the value began with a checksum: releases before checksums stored bare JSON. */
  readonly isChecksummed: boolean;
}

/** Reads a stored token; undefined if the value cannot be one. */
export function readTokenEntry(key: string, value: Buffer): StoredToken | undefined {
  const checksummed = isChecksummed(value);
  const content = checksummed ? checkedContent(key, value) : value;
  if (!content) return undefined;
  try {
    const token = JSON.parse(content.toString()) as StoredToken['token'];
    return { token, checksum: checksumOf(key, content), isChecksummed: checksummed };
  } catch {
    return undefined;
  }
}

/** Whether the hash of a token's secret has no key. */
export function isUnkeyed(token: Token | UnkeyedToken): token is UnkeyedToken {
  return !('secrets' in token);
}

/** A stored token and its checksum; undefined if the value is not what was written, or older than keyed hashes. */
export function storedToken(key: string, value: Buffer): { token: Token; checksum: number } | undefined {
  const stored = readTokenEntry(key, value);
  return stored && !isUnkeyed(stored.token) ? { token: stored.token, checksum: stored.checksum } : undefined;
}

/** The write that stores a new token. */
export function tokenEntry(token: { id: string }): CountedPut {
  const key = TOKENS + token.id;
  const content = Buffer.from(JSON.stringify(token));
  return { type: 'put', key, value: addChecksum(key, content), adds: checksumOf(key, content) };
}
