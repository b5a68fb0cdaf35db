import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, secretFile } from '../../runtime/config.ts';
import { makeSecretFile } from '../../runtime/secret-file.ts';

/** Name of the key's file, beside `token.key` in the data directory. */
export const CREDENTIALS_KEY_FILE = 'credentials.key';
const KEY_BYTES = 32;
/** Bytes of a check value, the beginning of an HMAC of the key: tells two keys apart and reveals nothing about them. */
const CHECK_BYTES = 8;
const CHECKED = 'gsq credentials.key';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Path of the key of a data directory. */
export function credentialsKeyPath(directory: string): string {
  return join(directory, CREDENTIALS_KEY_FILE);
}

function checkValue(key: Buffer): Buffer {
  return createHmac('sha256', key).update(CHECKED).digest().subarray(0, CHECK_BYTES);
}

/** Whether bytes are long enough to be what `CredentialsKey.encrypt` returned. Only the key can tell whether they are. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return bytes.length >= CHECK_BYTES + NONCE_BYTES + TAG_BYTES;
}

/** The key that credentials of servers are encrypted with: AES-256-GCM. */
export class CredentialsKey {
  readonly #key: KeyObject;
  readonly #check: Buffer;

  private constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.#check = checkValue(key);
  }

  /**
   * The key of a data directory; undefined if it has none yet. Throws ConfigError if the file cannot be read,
   * others may read it, or it is not what was written.
   */
  static read(directory: string): CredentialsKey | undefined {
    const path = credentialsKeyPath(directory);
    const content = secretFile('GSQ_DATA_DIR', path);
    if (!content) return undefined;
    const key = content.subarray(0, KEY_BYTES);
    if (content.length === KEY_BYTES + CHECK_BYTES && content.subarray(KEY_BYTES).equals(checkValue(key)))
      return new CredentialsKey(key);
    throw new ConfigError(
      `GSQ_DATA_DIR: ${path} does not match its check value and is no key; restore it from where you keep it`,
    );
  }

  /** Makes a key for a directory that has none. The file is on disk, whole, before this returns. */
  static make(directory: string): CredentialsKey {
    const key = randomBytes(KEY_BYTES);
    makeSecretFile(credentialsKeyPath(directory), Buffer.concat([key, checkValue(key)]));
    return CredentialsKey.read(directory) ?? new CredentialsKey(key);
  }

  /** Whether it was this key that encrypted the bytes. */
  didEncrypt(bytes: Buffer): boolean {
    return isEncrypted(bytes) && bytes.subarray(0, CHECK_BYTES).equals(this.#check);
  }

  /** Check value of the key, a random nonce, the ciphertext, the tag. Only `owner`'s can be decrypted as `owner`'s. */
  encrypt(plain: Buffer, owner: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    return Buffer.concat([this.#check, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /** What was encrypted; undefined if the bytes are not what this key encrypted for this owner. */
  decrypt(bytes: Buffer, owner: string): Buffer | undefined {
    if (!this.didEncrypt(bytes)) return undefined;
    const nonce = bytes.subarray(CHECK_BYTES, CHECK_BYTES + NONCE_BYTES);
    const cipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([
        cipher.update(bytes.subarray(CHECK_BYTES + NONCE_BYTES, -TAG_BYTES)),
        cipher.final(),
      ]);
    } catch {
      // The tag does not match.
      return undefined;
    }
  }
}
