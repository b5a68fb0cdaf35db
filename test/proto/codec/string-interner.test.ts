import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StringInterner } from '../../../proto/codec/string-interner.ts';

/**
 * Reads `bytes` as a text with the string interner. Copies `bytes` into the middle of a larger buffer first, because
 * the string interner must also read texts that begin at an offset.
 */
function read(texts: StringInterner, bytes: Buffer): string {
  return texts.read(Buffer.concat([Buffer.from('a'), bytes, Buffer.from('b')]), 1, 1 + bytes.length);
}

test('the string interner returns the correct text for any bytes, even after it has read a very similar text', () => {
  const texts = new StringInterner();
  const said = ['', 'a', 'b', 'aa', 'aba', 'aca', 'acb', '\0', '"', '\\', 'é', 'Ã©', '☃', '😀', '\ufffd'];
  const bytes = said.map(text => Buffer.from(text));
  // Adds invalid UTF-8. The decoder replaces each invalid byte with one character, so the text has as many characters
  // as bytes, like ASCII text. `StringInterner` must not treat such bytes as ASCII.
  bytes.push(Buffer.from([0xff]), Buffer.from([0xfd]), Buffer.from([0x61, 0xff, 0x61]), Buffer.from([0xe9]));
  for (let length = 60; length < 70; length++) bytes.push(Buffer.alloc(length, 'x'));
  for (const one of bytes) {
    for (const other of bytes) {
      for (const each of [one, other, one]) assert.equal(read(texts, each), each.toString());
    }
  }
});
