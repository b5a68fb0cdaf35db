import { hash } from 'node:crypto';

/** Of SHA-256 (FIPS 180-4), in bytes. */
const BLOCK = 64;
const DIGEST = 32;

/**
 * Hashes secrets: HMAC-SHA-256 (RFC 2104) under the key of the data directory, of the SHA-256 of the secret. Whoever
 * gets the store alone cannot try secrets against it, not even poor ones that an operator chose.
 *
 * Made of three one-shot hashes, 1.4 to 2.4 µs all together: every call waits for it, and with `createHmac` it takes
 * 3.1 to 4.0.
 */
export class SecretHash {
  /** A padded key each, and room for what is hashed behind it. */
  readonly #inner = Buffer.alloc(BLOCK + DIGEST, 0x36);
  readonly #outer = Buffer.alloc(BLOCK + DIGEST, 0x5c);

  /** `key`: 32 bytes. */
  constructor(key: Buffer) {
    for (const [i, byte] of key.entries()) {
      this.#inner[i] = byte ^ 0x36;
      this.#outer[i] = byte ^ 0x5c;
    }
  }

  /** 32 bytes, as a string of as many Latin-1 characters. */
  of(secret: string): string {
    return this.ofDigest(sha256(secret));
  }

  /** Of a secret whose `sha256` alone is known. */
  ofDigest(digest: string): string {
    this.#inner.write(digest, BLOCK, 'latin1');
    this.#outer.write(hash('sha256', this.#inner, 'binary'), BLOCK, 'latin1');
    return hash('sha256', this.#outer, 'binary');
  }
}

/** 32 bytes, as a string of as many Latin-1 characters: cheaper than a Buffer of them. */
export function sha256(text: string): string {
  return hash('sha256', text, 'binary');
}
