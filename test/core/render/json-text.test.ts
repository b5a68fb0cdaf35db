import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  jsonTextRoom,
  NUMBER_ROOM,
  Piece,
  writeJsonBytes,
  writeNumber,
  writePiece,
} from '../../../core/render/json-text.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const START = 3;

interface Memory {
  bytes: Buffer;
  view: DataView;
}

function newMemory(byteLength: number): Memory {
  const bytes = Buffer.alloc(byteLength, 0xff);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, byteLength) };
}

/**
 * Returns the string that the function `write` writes into a buffer. Fails if `write` changes bytes outside its space
 * of `room` bytes.
 */
function written(room: number, write: (memory: Memory, start: number) => number): string {
  const memory = newMemory(START + room + 1);
  const { bytes } = memory;
  const end = write(memory, START);
  assert.ok(end <= START + room, `${end - START} bytes, at most ${room}`);
  for (let i = 0; i < START; i++) assert.equal(bytes[i], 0xff);
  assert.equal(bytes[START + room], 0xff);
  return bytes.toString('utf8', START, end);
}

const textOf = (value: number) =>
  written(NUMBER_ROOM, ({ bytes }, start) => writeNumber(bytes, start, value));
/**
 * Returns a string as JSON, written by writeJsonBytes. The bytes before and after the string in memory are 0xff, so the
 * JSON is wrong if writeJsonBytes includes them.
 */
function jsonOf(text: string): string {
  const length = Buffer.byteLength(text);
  const from = newMemory(length + 8);
  from.bytes.write(text, START);
  return written(jsonTextRoom(length), ({ bytes, view }, start) =>
    writeJsonBytes(bytes, view, start, from.bytes, from.view, START, START + length),
  );
}

test('writeJsonBytes writes every character in the same form as JSON.stringify', () => {
  const odd = ['', '"', '\\', '\\"\\', 'a\u007fb', '\u0080', '\u07ff\u0800', '\u2028\u2029', '\ufeff\uffff'];
  const pairs = ['🔥', 'a🔥"', '\ud7ff\ue000', '☃\u0001'];
  for (const text of [...odd, ...pairs, 'Jürgen ☃ "Крокодил"', '\u0000'.repeat(100)]) {
    assert.equal(jsonOf(text), JSON.stringify(text));
  }
  for (let unit = 0; unit <= 0xffff; unit++) {
    const text = String.fromCharCode(97, unit, 98);
    if (text.isWellFormed()) assert.equal(jsonOf(text), JSON.stringify(text), unit.toString(16));
  }
});

test('writeJsonBytes writes a string in the same form as JSON.stringify, wherever in the string a special character is', () => {
  for (let length = 0; length <= 9; length++) {
    for (let at = 0; at < length; at++) {
      for (let unit = 0; unit <= 0xff; unit++) {
        const text = 'a'.repeat(at) + String.fromCharCode(unit) + 'a'.repeat(length - at - 1);
        assert.equal(jsonOf(text), JSON.stringify(text), `${unit} at ${at} of ${length}`);
      }
    }
  }
  const below = randomNumbers(3);
  const special = [0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7e, 0x7f];
  const kinds = [() => special[below(10)] ?? 0, () => below(0x80), () => below(0x800), () => below(0xd800)];
  for (let i = 0; i < 5000; i++) {
    const units = Array.from({ length: below(40) }, () => kinds[below(1 + (i % 4))]?.() ?? 0);
    const text = String.fromCharCode(...units);
    assert.equal(jsonOf(text), JSON.stringify(text));
  }
});

test('writeNumber writes numbers in the same form as String', () => {
  const edges = [0, -0, -1, 1.5, -(2 ** 31), 2 ** 32, 2 ** 53, 1e21, -Number.MAX_VALUE, 5e-324, Number.NaN];
  for (let power = 1; power <= 1e9; power *= 10) edges.push(power - 1, power, power + 1, -power);
  for (let bits = 1; bits <= 32; bits++) edges.push(2 ** bits - 1, 2 ** bits);
  for (const value of edges) assert.equal(textOf(value), `${value}`);
});

test('writePiece() writes a constant string into a buffer that has only three more bytes than the string', () => {
  for (const text of [
    '',
    'x',
    '"é"',
    ...Array.from({ length: 9 }, (_, i) => '☃'.repeat(i)),
    'x'.repeat(500),
  ]) {
    assert.equal(
      written(Buffer.byteLength(text) + 3, ({ view }, start) => writePiece(view, start, new Piece(text))),
      text,
    );
  }
});
