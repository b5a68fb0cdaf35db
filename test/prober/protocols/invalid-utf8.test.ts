import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader, decodeLatin1, decodeText } from '../../../prober/protocols/byte-reader.ts';
import { bytes } from './bytes.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test('a text that ends within a UTF-8 character is decoded as UTF-8, without the incomplete character', () => {
  for (const character of ['\u00e9', '\u2605', '\u{1f3ae}']) {
    const whole = Buffer.from(`Sn\u00f6 ${character}`);
    for (let length = 6; length < whole.length; length++)
      assert.equal(decodeText(whole.subarray(0, length)), 'Sn\u00f6 ', `${character} cut at ${length}`);
    assert.equal(decodeText(whole), `Sn\u00f6 ${character}`);
  }
});

test('an incomplete UTF-8 character at the end of a text is dropped, with or without a zero byte after the text', () => {
  const cut = bytes('\u2605\u2605', 0xe2, 0x98);
  assert.equal(new ByteReader(bytes(cut, 0)).cstring(), '\u2605\u2605');
  assert.equal(decodeLatin1(cut.toString('latin1')), '\u2605\u2605');
});

test('a text of Windows-1252 keeps its last letter, even if this letter looks like the start of a UTF-8 character', () => {
  assert.equal(decodeText(latin1('Caf\xe9')), 'Caf\u00e9');
  assert.equal(decodeText(latin1('\xe9t\xe9')), '\u00e9t\u00e9');
  assert.equal(decodeText(latin1('\xe9')), '\u00e9');
  assert.equal(decodeText(latin1('Fran\xe7ois')), 'Fran\u00e7ois');
});

test('a text with an invalid byte in its middle is decoded as Windows-1252, even if it also ends within a UTF-8 character', () => {
  assert.equal(decodeText(bytes('\u00e9', 0xff, 'a', 0xe2)), '\u00c3\u00a9\u00ffa\u00e2');
  assert.equal(decodeText(bytes('\u00e9', 0xc0)), '\u00c3\u00a9\u00c0');
  assert.equal(decodeText(bytes('\u00e9', 0xe2, 0xc0)), '\u00c3\u00a9\u00e2\u00c0');
  assert.equal(decodeText(bytes('\u00e9', 0xa9)), '\u00c3\u00a9\u00a9');
});

test('the bytes 0x80 to 0x9f are decoded as Windows-1252, and the bytes from 0xa0 on are the same as in Latin-1', () => {
  const low = Buffer.from(Array.from({ length: 32 }, (_, i) => 0x80 + i));
  assert.equal(
    decodeText(low),
    '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
      '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178',
  );
  const high = Buffer.from(Array.from({ length: 96 }, (_, i) => 0xa0 + i));
  assert.equal(decodeText(high), high.toString('latin1'));
  assert.equal(decodeText(latin1('5 \x80 \x96 it\x92s')), '5 \u20ac \u2013 it\u2019s');
});

test('an empty text and a text of ASCII stay unchanged', () => {
  for (const text of ['', 'plain', 'a\tb']) assert.equal(decodeText(Buffer.from(text)), text);
});
