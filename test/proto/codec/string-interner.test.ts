import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StringInterner } from '../../../proto/codec/string-interner.ts';

/** Reads `bytes` with the string interner, from the middle of a larger buffer. */
function read(texts: StringInterner, bytes: Buffer): string {
  return texts.read(Buffer.concat([Buffer.from('a'), bytes, Buffer.from('b')]), 1, 1 + bytes.length);
}

test('the string interner returns the correct text for any bytes, even after it has read a very similar text', () => {
  const texts = new StringInterner();
  const said = ['', 'a', 'b', 'aa', 'aba', 'aca', 'acb', '\0', '"', '\\', 'é', 'Ã©', '☃', '😀', '\ufffd'];
  const bytes = said.map(text => Buffer.from(text));
  // Adds invalid UTF-8. Each invalid byte becomes one character, so the length is the same in bytes and in characters.
  // `StringInterner` must not treat these bytes as ASCII.
  bytes.push(Buffer.from([0xff]), Buffer.from([0xfd]), Buffer.from([0x61, 0xff, 0x61]), Buffer.from([0xe9]));
  for (let length = 60; length < 70; length++) bytes.push(Buffer.alloc(length, 'x'));
  for (const one of bytes) {
    for (const other of bytes) {
      for (const each of [one, other, one]) assert.equal(read(texts, each), each.toString());
    }
  }
});
