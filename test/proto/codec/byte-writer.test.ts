import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';

const written = (write: (writer: ByteWriter) => void): Buffer => {
  const writer = new ByteWriter(1);
  write(writer);
  return writer.takeBytes();
};

test('ByteWriter writes text of any length as UTF-8', () => {
  for (const text of [
    '',
    'a',
    'é',
    '☃',
    '😀',
    '\ud800',
    'x'.repeat(31),
    'x'.repeat(33),
    `${'x'.repeat(40)}é`,
  ]) {
    assert.deepEqual(
      written(writer => writer.text(text)),
      Buffer.from(text),
    );
    assert.deepEqual(
      written(writer => writer.text(`${text}${text}`)),
      Buffer.from(`${text}${text}`),
    );
  }
});

test('proto-loader can read text fields of any length that ByteWriter wrote', () => {
  const odd = ['', 'a', '\0', '"\\', 'é', '☃', '😀', '\ud800', '\udc00x', 'né'];
  for (let length = 1; length < 140; length++) {
    const ascii = 'x'.repeat(length);
    odd.push(ascii, `${ascii}é`, `é${ascii}`, 'é'.repeat(length), '☃'.repeat(length));
  }
  for (const name of odd) {
    const bytes = written(writer => writer.textField(1, name));
    assert.equal(gsqV1.Player.deserialize(bytes).name, Buffer.from(name).toString());
  }
  const after = written(writer => {
    writer.textField(1, 'é');
    writer.textField(20, 'unknown');
    writer.uintField(3, 5);
  });
  assert.deepEqual({ ...gsqV1.Player.deserialize(after) }, { name: 'é', score: 0, time: 5 });
});

test('ByteWriter.openField() reserves one byte for the length of a field of up to 127 bytes, and four bytes for a longer field', () => {
  for (const [most, size] of [
    [0, 1],
    [127, 1],
    [128, 4],
    [undefined, 4],
  ] as const) {
    const bytes = written(writer => writer.closeField(writer.openField(5, most)));
    assert.equal(bytes.length, 1 + size);
    assert.equal(gsqV1.Updater.deserialize(bytes).lastProbeAt?.seconds, 0);
  }
  for (const length of [0, 126, 127]) {
    const bytes = written(writer => {
      const start = writer.openField(1, 127);
      writer.text('x'.repeat(length));
      writer.closeField(start);
    });
    assert.equal(gsqV1.Player.deserialize(bytes).name, 'x'.repeat(length));
  }
  const writer = new ByteWriter();
  const start = writer.openField(1, 127);
  writer.text('x'.repeat(128));
  assert.throws(() => writer.closeField(start), RangeError);
});

test('ByteWriter copies byte ranges of all lengths correctly', () => {
  const source = Buffer.from(Array.from({ length: 300 }, (_, i) => i % 256));
  for (let length = 0; length < 100; length++) {
    const copy = written(writer => {
      writer.byte(1);
      writer.copyRange(source, 100, 100 + length);
      writer.copy(source);
    });
    assert.deepEqual(copy, Buffer.concat([Buffer.from([1]), source.subarray(100, 100 + length), source]));
  }
});

test('proto-loader can read number fields that ByteWriter wrote', () => {
  for (const score of [0, 1, -1, 127, -128, 2 ** 31 - 1, -(2 ** 31)]) {
    const bytes = written(writer => writer.intField(2, score));
    assert.equal(gsqV1.Player.deserialize(bytes).score, score);
  }
  for (const time of [0, 127, 128, 16_383, 16_384, 2 ** 32 - 1]) {
    const bytes = written(writer => writer.uintField(3, time));
    assert.equal(gsqV1.Player.deserialize(bytes).time, time);
  }
  for (const seconds of [1, 2 ** 31, 2 ** 32, 2 ** 40 + 5]) {
    const bytes = written(writer => {
      const start = writer.openField(5);
      writer.uintField(1, seconds);
      writer.closeField(start);
    });
    assert.equal(gsqV1.Updater.deserialize(bytes).lastProbeAt?.seconds, seconds);
  }
});

test('ByteWriter removes its last bytes if its length is set to a lower value', () => {
  const writer = new ByteWriter(4);
  writer.text('one');
  const { length } = writer;
  writer.text('two');
  writer.length = length;
  writer.text('three');
  const taken = writer.takeBytes();
  writer.text('four');
  assert.equal(taken.toString(), 'onethree');
  assert.equal(writer.takeBytes().toString(), 'four');
});
