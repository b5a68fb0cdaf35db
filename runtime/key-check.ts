import { createHmac } from 'node:crypto';

/** Length of the check value of a secret key, in bytes. */
export const CHECK_BYTES = 8;

/**
 * Returns the check value of a secret key. The check value is stored beside encrypted data. It shows whether a key is
 * right, and reveals nothing about the key.
 */
export function checkValueOf(key: Uint8Array, name: string): Buffer {
  return createHmac('sha256', key).update(`gsq ${name}`).digest().subarray(0, CHECK_BYTES);
}
