// Reads texts in the encoding of the Unreal engines. Source for the encoding of the length:
// https://beyondunrealwiki.github.io/pages/compactindex.html

import { type ByteReader, decodeLatin1 } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

// The first byte of a length has two flags. One flag means that the string is UTF-16. The other flag means that a
// second length byte follows. The remaining six bits are the low bits of the length.
const WIDE = 0x80;
const FIRST_CONTINUES = 0x40;
const FIRST_VALUE = 0x3f;
// After its first byte, a length can have more bytes. Each of them contains seven bits of the length. The highest bit
// of the byte is set if another byte of the length follows.
const CONTINUES = 0x80;
const VALUE = 0x7f;

const ESCAPE = '\u001b';
/** Number of characters after a colour escape: one each for red, green and blue. */
const COLOUR_CHARACTERS = 3;

/**
 * Decodes an 8-bit string, and removes its colour escapes. Each character of `latin1` stands for one byte. Colours are
 * removed first, because decoding can turn the three bytes of a colour into fewer characters.
 */
export function decodeUnrealText(latin1: string): string {
  return decodeLatin1(stripColours(latin1));
}

function stripColours(text: string): string {
  const [plain = '', ...coloured] = text.split(ESCAPE);
  return plain + coloured.map(piece => piece.slice(COLOUR_CHARACTERS)).join('');
}

/**
 * Reads a string, and removes its colour escapes. The string begins with the number of its characters. An 8-bit string
 * (not UTF-16) ends with a zero byte. Throws MalformedReply if the string is too long or incomplete, or if the zero
 * byte is missing.
 */
export function readUnrealText(reader: ByteReader): string {
  const first = reader.u8();
  let length = first & FIRST_VALUE;
  if (first & FIRST_CONTINUES) {
    const second = reader.u8();
    if (second & CONTINUES) throw new MalformedReply('a text longer than a datagram');
    length |= (second & VALUE) << 6;
  }
  if (length === 0) return '';
  if (first & WIDE) return stripColours(reader.bytes(length * 2).toString('utf16le')).replace(/\0$/, '');
  const text = reader.bytes(length);
  if (text[length - 1] !== 0) throw new MalformedReply('a text that is longer than its length');
  return decodeUnrealText(text.toString('latin1', 0, length - 1));
}
