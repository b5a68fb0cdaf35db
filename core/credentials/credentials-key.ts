import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, secretFile } from '../../runtime/config.ts';
import { CHECK_BYTES, checkValueOf } from '../../runtime/key-check.ts';
import { makeSecretFile } from '../../runtime/secret-file.ts';

/** File name of the credentials key. The file is in the data directory, beside `token.key`. */
export const CREDENTIALS_KEY_FILE = 'credentials.key';
const KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Returns the path of the credentials key in a data directory. */
export function credentialsKeyPath(directory: string): string {
  return join(directory, CREDENTIALS_KEY_FILE);
}

/**
 * True if the bytes are long enough to be a result of `CredentialsKey.encrypt`. Only a decryption with the key can
 * prove that `encrypt` created the bytes.
 */
export function isEncrypted(bytes: Uint8Array): boolean {
  return bytes.length >= CHECK_BYTES + NONCE_BYTES + TAG_BYTES;
}

/** Key that encrypts the credentials of servers with AES-256-GCM. */
export class CredentialsKey {
  readonly #key: KeyObject;
  readonly #check: Buffer;

  private constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.#check = checkValueOf(key, CREDENTIALS_KEY_FILE);
  }

  /**
   * Reads the credentials key of a data directory. Returns undefined if the directory has none yet. Throws ConfigError
   * if the file cannot be read, other users have access to it, or its content is damaged.
   */
  static read(directory: string): CredentialsKey | undefined {
    const path = credentialsKeyPath(directory);
    const content = secretFile('GSQ_DATA_DIR', path);
    if (!content) return undefined;
    const key = content.subarray(0, KEY_BYTES);
    if (
      content.length === KEY_BYTES + CHECK_BYTES &&
      content.subarray(KEY_BYTES).equals(checkValueOf(key, CREDENTIALS_KEY_FILE))
    )
      return new CredentialsKey(key);
    throw new ConfigError(
      `GSQ_DATA_DIR: ${path} does not match its check value and is not a valid key; restore the file from your copy`,
    );
  }

  /**
   * Creates a credentials key for a directory that has none. The file is complete and durable on disk when the function
   * returns.
   */
  static make(directory: string): CredentialsKey {
    const key = randomBytes(KEY_BYTES);
    makeSecretFile(
      credentialsKeyPath(directory),
      Buffer.concat([key, checkValueOf(key, CREDENTIALS_KEY_FILE)]),
    );
    return CredentialsKey.read(directory) ?? new CredentialsKey(key);
  }

  /** True if this key encrypted the bytes: they begin with the fingerprint of the key. */
  didEncrypt(bytes: Buffer): boolean {
    return isEncrypted(bytes) && bytes.subarray(0, CHECK_BYTES).equals(this.#check);
  }

  /**
   * Encrypts bytes. Returns the fingerprint of the key, a random nonce, the ciphertext and the authentication tag, in
   * this order. `owner`: the `serverKey` of the server. The cipher authenticates it as additional data, so `decrypt`
   * needs the same `owner`.
   */
  encrypt(plain: Buffer, owner: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    return Buffer.concat([this.#check, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /**
   * Decrypts the result of `encrypt`. `owner`: the `serverKey` of the server that the bytes belong to. Returns
   * undefined if the bytes are damaged, or were encrypted with a different credentials key or for a different server.
   */
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
      // `final` verifies the authentication tag, and throws if the bytes are damaged or were encrypted for a different
      // `owner`.
      return undefined;
    }
  }
}
