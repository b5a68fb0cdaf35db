import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortText } from '../../../proto/codec/short-text.ts';

/**
 * Returns a buffer that contains the bytes of `text` between other bytes. `start` and `end` are the position of the
 * text.
 */
function within(text: string): { bytes: Buffer; start: number; end: number } {
  const inside = Buffer.from(text);
  const bytes = Buffer.concat([Buffer.alloc(3, 'é'), inside, Buffer.alloc(3, 'é')]);
  return { bytes, start: 3, end: 3 + inside.length };
}

const read = (text: string): string | undefined => {
  const { bytes, start, end } = within(text);
  return shortText(bytes, start, end);
};

test('shortText decodes ASCII text of up to 24 bytes, whatever bytes are before and after the text', () => {
  for (let length = 0; length <= 24; length++) {
    const text = 'abcdefghijklmnopqrstuvwxyz'.slice(0, length);
    assert.equal(read(text), text);
  }
  for (const text of ['\0', 'a\0b', '"', '\\', '\x7f', ' a ', '\n']) assert.equal(read(text), text);
});

test('shortText decodes ASCII text at the beginning, in the middle and at the end of a buffer', () => {
  const bytes = Buffer.from('0123456789abcdefghijklmnopqrst');
  for (let start = 0; start <= 30; start++) {
    assert.equal(
      shortText(bytes, start, Math.min(30, start + 24)),
      bytes.toString().slice(start, start + 24),
    );
  }
});

test('shortText returns undefined for text that is longer than 24 bytes or not ASCII', () => {
  for (const text of ['x'.repeat(25), 'é', 'aé', '☃', '😀', `${'x'.repeat(20)}é`])
    assert.equal(read(text), undefined);
  assert.equal(shortText(Buffer.from([0x61, 0xff]), 0, 2), undefined);
});
