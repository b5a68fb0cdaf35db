// Reads texts as Unreal engines send them. Their length:
// https://beyondunrealwiki.github.io/pages/compactindex.html

import { type ByteReader, decodeText } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

// Flags in the first length byte: UTF-16 text, and another length byte follows. The other six bits hold the
// value.
const WIDE = 0x80;
const FIRST_CONTINUES = 0x40;
const FIRST_VALUE = 0x3f;
// Flag in later length bytes: another one follows.
const CONTINUES = 0x80;
const VALUE = 0x7f;

const ESCAPE = '\u001b';
/** Number of characters after a colour escape: red, green, blue. */
const COLOUR_CHARACTERS = 3;

/** Removes the engine's colour escapes from a text. */
export function stripUnrealColours(text: string): string {
  const [plain = '', ...coloured] = text.split(ESCAPE);
  return plain + coloured.map(piece => piece.slice(COLOUR_CHARACTERS)).join('');
}

/**
 * Reads a text after its length in characters, which counts the zero at the end, and removes colours. Throws
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
