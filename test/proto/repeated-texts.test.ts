import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedTexts } from '../../proto/repeated-texts.ts';
import { WireReader } from '../../proto/wire-reader.ts';

/** A reader that has read a field of these bytes. */
function fieldOf(bytes: Buffer): WireReader {
  const reader = new WireReader(
    Buffer.concat([Buffer.from([0x0a, bytes.length]), bytes, Buffer.from([0x08])]),
  );
  assert.ok(reader.next());
  return reader;
}

test('a text is what its bytes say, however alike those before it were', () => {
  const texts = new RepeatedTexts();
  const said = ['', 'a', 'b', 'aa', 'aba', 'aca', 'acb', '\0', '"', '\\', 'é', 'Ã©', '☃', '😀', '\ufffd'];
  const bytes = said.map(text => Buffer.from(text));
  // No UTF-8, and of as many letters as bytes once read.
  bytes.push(Buffer.from([0xff]), Buffer.from([0xfd]), Buffer.from([0x61, 0xff, 0x61]), Buffer.from([0xe9]));
  for (let length = 60; length < 70; length++) bytes.push(Buffer.alloc(length, 'x'));
  for (const one of bytes) {
    for (const other of bytes) {
      for (const each of [one, other, one]) assert.equal(texts.read(fieldOf(each)), each.toString());
    }
  }
});
