// Text as Unreal's engines send it. Its length: https://beyondunrealwiki.github.io/pages/compactindex.html

import { type ByteReader, decodeText } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

// Of the length's first byte: the text is UTF-16; another byte of length follows. Six bits are left for the value.
const WIDE = 0x80;
const FIRST_CONTINUES = 0x40;
const FIRST_VALUE = 0x3f;
// Of the others.
const CONTINUES = 0x80;
const VALUE = 0x7f;

const ESCAPE = '\u001b';
/** Red, green, blue: what follows an escape. */
const COLOUR_CHARACTERS = 3;

/** Text without the colours the engine writes into it. */
export function stripUnrealColours(text: string): string {
  const [plain = '', ...coloured] = text.split(ESCAPE);
  return plain + coloured.map(piece => piece.slice(COLOUR_CHARACTERS)).join('');
}

/**
 * Text behind its length in characters, the zero at its end among them, without its colours. Throws
 * MalformedReply.
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
