import { crc32 } from 'node:zlib';

/** Prefix of every secret that gsq creates. Secret scanners can search for it. */
export const SECRET_PREFIX = 'gsq_';
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Number of random characters in a secret. 30 characters of base 62 contain 178 random bits. */
export const RANDOM_LENGTH = 30;

/** Number of base-62 digits of the checksum. Six digits can hold any 32-bit number. */
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
 * Creates a secret: the prefix, random characters and their CRC-32 in base 62, like the tokens of GitHub. The
 * checksum only shows whether a text is a secret of gsq. It does not make the secret safer.
 */
export function secretOf(random: string): string {
  return SECRET_PREFIX + random + checksum(random);
}

/**
 * True if a text has the form of a secret of gsq and a correct checksum. The secret can still be unknown, revoked or
 * expired.
 */
export function isWholeSecret(text: string): boolean {
  const [, random, digits] = FORM.exec(text) ?? [];
  return random !== undefined && checksum(random) === digits;
}
