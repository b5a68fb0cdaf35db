// Reads texts in the encoding of the Unreal engines. Source for the encoding of the length:
// https://beyondunrealwiki.github.io/pages/compactindex.html

import { type ByteReader, decodeText } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

// The first byte of a length has two flags: the text is UTF-16, and another length byte follows. The other six bits are
// the value.
const WIDE = 0x80;
const FIRST_CONTINUES = 0x40;
const FIRST_VALUE = 0x3f;
// A later byte of a length has one flag: another length byte follows. The other seven bits are the value.
const CONTINUES = 0x80;
const VALUE = 0x7f;

const ESCAPE = '\u001b';
/** Number of characters after a colour escape: one each for red, green and blue. */
const COLOUR_CHARACTERS = 3;

/** Removes the colour escapes of the Unreal engines from a text. */
export function stripUnrealColours(text: string): string {
  const [plain = '', ...coloured] = text.split(ESCAPE);
  return plain + coloured.map(piece => piece.slice(COLOUR_CHARACTERS)).join('');
}

/**
 * Reads a length, then a text of that many characters, and removes the colours. The length includes the zero at the
 * end of the text. Throws MalformedReply if the text is too long or incomplete, or if a text with one byte per
 * character does not end with a zero.
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
  if (first & WIDE)
    return stripUnrealColours(reader.bytes(length * 2).toString('utf16le')).replace(/\0$/, '');
  const text = reader.bytes(length);
  if (text[length - 1] !== 0) throw new MalformedReply('a text that is longer than its length');
  return stripUnrealColours(decodeText(text.subarray(0, -1)));
}
