import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StringInterner } from '../../../proto/codec/string-interner.ts';

/**
 * Returns the text that the string interner reads for `bytes`. In the buffer, one more byte stands before `bytes`, and
 * one after it. The string interner must ignore these two bytes.
 */
function read(texts: StringInterner, bytes: Buffer): string {
  return texts.read(Buffer.concat([Buffer.from('a'), bytes, Buffer.from('b')]), 1, 1 + bytes.length);
}

test('the string interner returns the correct text for any bytes, even after it has read a very similar text', () => {
  const texts = new StringInterner();
  const said = ['', 'a', 'b', 'aa', 'aba', 'aca', 'acb', '\0', '"', '\\', 'é', 'Ã©', '☃', '😀', '\ufffd'];
  const bytes = said.map(text => Buffer.from(text));
  // Adds texts that are not valid UTF-8. Each invalid byte is decoded to one character, so these texts have as many
  // characters as bytes, like ASCII texts. Nevertheless, `StringInterner` must not treat them as ASCII.
  bytes.push(Buffer.from([0xff]), Buffer.from([0xfd]), Buffer.from([0x61, 0xff, 0x61]), Buffer.from([0xe9]));
  for (let length = 60; length < 70; length++) bytes.push(Buffer.alloc(length, 'x'));
  for (const one of bytes) {
    for (const other of bytes) {
      for (const each of [one, other, one]) assert.equal(read(texts, each), each.toString());
    }
  }
});
