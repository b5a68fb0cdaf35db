import { hash } from 'node:crypto';

/** Block and digest size of SHA-256 (FIPS 180-4), bytes. */
const BLOCK = 64;
const DIGEST = 32;

/**
 * Hash of token secrets: HMAC-SHA-256 (RFC 2104) of the secret's SHA-256, under the key of the data directory. Whoever
 * steals the store without the key cannot try secrets against it, not even weak ones that an operator chose.
 *
 * Computed from three one-shot hashes in 1.4 to 2.4 µs; `createHmac` takes 3.1 to 4.0 µs, and every call waits for it.
 */
export class SecretHash {
  /** The key with inner and outer padding, each followed by room for a digest. */
  readonly #inner = Buffer.alloc(BLOCK + DIGEST, 0x36);
  readonly #outer = Buffer.alloc(BLOCK + DIGEST, 0x5c);

  /** `key`: 32 bytes. */
  constructor(key: Buffer) {
    for (const [i, byte] of key.entries()) {
      this.#inner[i] = byte ^ 0x36;
      this.#outer[i] = byte ^ 0x5c;
    }
  }

  /** The hash of a secret: 32 bytes as a string of 32 Latin-1 characters. */
  of(secret: string): string {
    return this.ofDigest(sha256(secret));
  }

  /** The hash of a secret, computed from its `sha256`. */
  ofDigest(digest: string): string {
    this.#inner.write(digest, BLOCK, 'latin1');
    this.#outer.write(hash('sha256', this.#inner, 'binary'), BLOCK, 'latin1');
    return hash('sha256', this.#outer, 'binary');
  }
}

/** SHA-256 of a text: 32 bytes as a string of 32 Latin-1 characters, which is cheaper than a Buffer. */
export function sha256(text: string): string {
  return hash('sha256', text, 'binary');
}
