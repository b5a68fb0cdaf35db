// Decodes strings whose bytes are not valid UTF-8. Source for the table of Windows-1252:
// https://encoding.spec.whatwg.org/index-windows-1252.txt

import { isAscii, isUtf8 } from 'node:buffer';

/**
 * The characters of the bytes 0x80 to 0x9f in Windows-1252. All other bytes are the same as in Latin-1. Five of the
 * bytes have no character and remain control characters, which are later removed from the text. The table replaces
 * `TextDecoder('windows-1252')`: some builds of Node lack this decoder, and in some releases it decodes Latin-1.
 */
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
const FIRST_OF_TABLE = 0x80;
const CONTROLS = /[\x80-\x9f]/g;

// A character of UTF-8 that is not ASCII has a lead byte, and then one to three continuation bytes.
const FIRST_CONTINUATION = 0x80;
const LAST_CONTINUATION = 0xbf;
const FIRST_LEAD = 0xc2;
const LEAD_OF_THREE = 0xe0;
const LEAD_OF_FOUR = 0xf0;
const LAST_LEAD = 0xf4;
/** Maximum number of bytes in a truncated character. */
const MAX_CUT_BYTES = 3;

/**
 * Decodes a string whose bytes are not valid UTF-8. If the string is UTF-8 and ends within a character, drops this
 * character, because game engines truncate long names without regard to characters. Decodes any other string as
 * Windows-1252, the most common encoding of old game servers.
 */
export function decodeInvalidUtf8(bytes: Buffer): string {
  const end = startOfCutCharacter(bytes);
  if (end < bytes.length) {
    const whole = bytes.subarray(0, end);
    // A text with only its end outside ASCII, such as `Café`, is more likely Windows-1252 than truncated UTF-8.
    if (isUtf8(whole) && !isAscii(whole)) return whole.toString('utf8');
  }
  return bytes
    .toString('latin1')
    .replace(CONTROLS, control => WINDOWS_1252[control.charCodeAt(0) - FIRST_OF_TABLE] ?? '');
}

/**
 * Returns the index of the lead byte of a truncated character at the end of the string. Returns the length of the
 * string if the string does not end with a truncated character.
 */
function startOfCutCharacter(bytes: Buffer): number {
  for (let count = 1; count <= MAX_CUT_BYTES; count++) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (byte >= FIRST_LEAD && byte <= LAST_LEAD)
      return count < lengthOfCharacter(byte) ? bytes.length - count : bytes.length;
    if (byte < FIRST_CONTINUATION || byte > LAST_CONTINUATION) break;
  }
  return bytes.length;
}

function lengthOfCharacter(lead: number): number {
  if (lead >= LEAD_OF_FOUR) return 4;
  return lead >= LEAD_OF_THREE ? 3 : 2;
}
