import { addChecksum, checkedContent } from '../store/checksummed.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { CountedPut } from '../store/storage-engine.ts';
import { isEncrypted } from './credentials-key.ts';

/** Prefix of the store keys of credentials. The `serverKey` follows the prefix. */
export const CREDENTIALS = 'c/';

/**
 * Returns the write operation that stores the credentials of a server for the first time. `encrypted`: the result of
 * `CredentialsKey.encrypt`.
 */
export function credentialsEntry(serverKey: string, encrypted: Buffer): CountedPut {
  const key = CREDENTIALS + serverKey;
  return { type: 'put', key, value: addChecksum(key, encrypted), adds: checksumOf(key, encrypted) };
}

/**
 * Reads a stored credentials entry. Returns the server key, the credentials (still encrypted) and the checksum of the
 * entry. Returns undefined if the entry is damaged.
 */
export function storedCredentials(
  key: string,
  value: Buffer,
): { serverKey: string; encrypted: Buffer; checksum: number } | undefined {
  const encrypted = checkedContent(key, value);
  if (!encrypted || !isEncrypted(encrypted)) return undefined;
  return { serverKey: key.slice(CREDENTIALS.length), encrypted, checksum: checksumOf(key, encrypted) };
}
