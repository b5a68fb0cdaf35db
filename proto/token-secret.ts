import { crc32 } from 'node:zlib';

/** What every secret that gsq makes begins with, so that secret scanners can look for it. */
export const SECRET_PREFIX = 'gsq_';
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Random characters of a secret: 178 bits. */
export const RANDOM_LENGTH = 30;

/** Six digits of base 62 hold any 32 bits. */
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${SECRET_PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

/**
 * A secret of these random characters: the prefix before and their CRC-32 in base 62 behind them, as GitHub's tokens are
 * made. It tells a real one from a chance find, and keeps nothing secret.
 */
export function secretOf(random: string): string {
  return SECRET_PREFIX + random + checksum(random);
}

/** Whether a text is a secret as gsq makes them, whole and unaltered. Says nothing about whether it is valid. */
export function isWholeSecret(text: string): boolean {
  const [, random, digits] = FORM.exec(text) ?? [];
  return random !== undefined && checksum(random) === digits;
}
