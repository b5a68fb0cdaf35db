import { addChecksum, checkedContent, isChecksummed } from '../store/checksummed.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { CountedPut } from '../store/storage-engine.ts';
import type { Token } from './token.ts';

/** Prefix of the store keys of tokens. The token id follows the prefix. */
export const TOKENS = 't/';

/** Token of an old release. It has a plain SHA-256 of its only secret (`hash`, hexadecimal) instead of a keyed hash. */
export type UnkeyedToken = Omit<Token, 'secrets'> & { hash: string };

/** A token as read from the store. */
export interface StoredToken {
  readonly token: Token | UnkeyedToken;
  /** Checksum of the store entry of the token (`checksumOf`). */
  readonly checksum: number;
  /**
   * True if the stored value of the token began with a checksum. Releases without checksums stored the bare JSON text.
   */
  readonly isChecksummed: boolean;
}

/** Reads a stored token. Returns undefined if the checksum does not match or the value is not JSON. */
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

/** True if the token has the format of old releases, which stored its secret without a keyed hash. */
export function isUnkeyed(token: Token | UnkeyedToken): token is UnkeyedToken {
  return !('secrets' in token);
}

/**
 * Reads a stored token and its checksum. Returns undefined if the value is damaged, or if an old release stored the
 * secret of the token without a keyed hash.
 */
export function storedToken(key: string, value: Buffer): { token: Token; checksum: number } | undefined {
  const stored = readTokenEntry(key, value);
  return stored && !isUnkeyed(stored.token) ? { token: stored.token, checksum: stored.checksum } : undefined;
}

/** Returns the write operation that stores a new token. */
export function tokenEntry(token: { id: string }): CountedPut {
  const key = TOKENS + token.id;
  const content = Buffer.from(JSON.stringify(token));
  return { type: 'put', key, value: addChecksum(key, content), adds: checksumOf(key, content) };
}
