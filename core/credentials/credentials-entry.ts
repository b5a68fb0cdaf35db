import { addChecksum, checkedContent } from '../store/checksummed.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { CountedPut } from '../store/storage-engine.ts';
import { isEncrypted } from './credentials-key.ts';

/** Prefix of the stored keys of credentials; the `serverKey` follows. */
export const CREDENTIALS = 'c/';

/** The write that stores the credentials of a server for the first time. `encrypted`: as `CredentialsKey.encrypt` returns it. */
export function credentialsEntry(serverKey: string, encrypted: Buffer): CountedPut {
  const key = CREDENTIALS + serverKey;
  return { type: 'put', key, value: addChecksum(key, encrypted), adds: checksumOf(key, encrypted) };
}

/** Stored credentials, still encrypted, and the checksum of their entry; undefined if they are not what was written. */
export function storedCredentials(
  key: string,
  value: Buffer,
): { serverKey: string; encrypted: Buffer; checksum: number } | undefined {
  const encrypted = checkedContent(key, value);
  if (!encrypted || !isEncrypted(encrypted)) return undefined;
  return { serverKey: key.slice(CREDENTIALS.length), encrypted, checksum: checksumOf(key, encrypted) };
}
