import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Line, LineSplitter, MAX_LINE_BYTES } from '../../../cli/server-list/line-splitter.ts';

function split(...chunks: readonly (Buffer | string)[]): Line[] {
  const splitter = new LineSplitter();
  const lines = chunks.flatMap(chunk => [...splitter.push(Buffer.from(chunk))]);
  return [...lines, ...splitter.end()];
}

const textsOf = (lines: readonly Line[]) =>
  lines.map(line => [line.number, 'text' in line ? line.text : line.reason]);

test('LineSplitter splits at LF and CRLF, removes byte order marks, and returns the same lines for chunks of any size', () => {
  const whole = Buffer.from('\ufeffcsgo ä\r\n\n\ufeffb\rc\n\r\nlast €');
  const expected = [
    [1, 'csgo ä'],
    [2, ''],
    [3, 'b\rc'],
    [4, ''],
    [5, 'last €'],
  ];
  for (let at = 0; at <= whole.length; at++) {
    assert.deepEqual(textsOf(split(whole.subarray(0, at), whole.subarray(at))), expected, `split at ${at}`);
  }
  assert.deepEqual(textsOf(split(...Array.from(whole, byte => Buffer.of(byte)))), expected);
});

test('LineSplitter returns no empty line after the last line feed, and no line for an empty file', () => {
  assert.deepEqual(textsOf(split('a\n')), [[1, 'a']]);
  assert.deepEqual(textsOf(split('')), []);
});

test('LineSplitter marks a line that is not UTF-8 as invalid, and reads the lines before and after it', () => {
  for (const bad of [Buffer.of(0xff), Buffer.of(0xc3), Buffer.of(0xed, 0xa0, 0x80), Buffer.of(0xc0, 0xaf)]) {
    const lines = split('a\nb', bad, '\nc');
    assert.deepEqual(textsOf(lines), [
      [1, 'a'],
      [2, 'bad_encoding'],
      [3, 'c'],
    ]);
  }
});

test('LineSplitter reports a line that is too long, and accepts a line of the maximum length', () => {
  const longest = 'x'.repeat(MAX_LINE_BYTES);
  const lines = split(`${longest}\n`, 'a', longest, longest, longest, '\nb\n', longest, 'y');
  assert.deepEqual(textsOf(lines), [
    [1, longest],
    [2, 'line_too_long'],
    [3, 'b'],
    [4, 'line_too_long'],
  ]);
});
