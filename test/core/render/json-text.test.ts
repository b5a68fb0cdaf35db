import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  jsonTextRoom,
  type Memory,
  NUMBER_ROOM,
  newMemory,
  Piece,
  writeJsonBytes,
  writeJsonText,
  writeNumber,
  writePiece,
} from '../../../core/render/json-text.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const START = 3;

/** What a function writes into so much room, and nowhere else. */
function written(room: number, write: (memory: Memory, start: number) => number): string {
  const memory = newMemory(START + room + 1);
  const { bytes } = memory;
  bytes.fill(0xff);
  const end = write(memory, START);
  assert.ok(end <= START + room, `${end - START} bytes, at most ${room}`);
  for (let i = 0; i < START; i++) assert.equal(bytes[i], 0xff);
  assert.equal(bytes[START + room], 0xff);
  return bytes.toString('utf8', START, end);
}

const jsonOf = (text: string) =>
  written(jsonTextRoom(text.length), ({ bytes }, start) => writeJsonText(bytes, start, text));
const textOf = (value: number) =>
  written(NUMBER_ROOM, ({ bytes }, start) => writeNumber(bytes, start, value));
/** Of text among other bytes. */
function jsonOfBytes(text: Buffer): string {
  const from = newMemory(text.length + 8);
  from.bytes.fill(0xff);
  text.copy(from.bytes, START);
  const end = START + text.length;
  return written(jsonTextRoom(text.length), (memory, start) =>
    writeJsonBytes(memory, start, from, START, end),
  );
}

test('text is written as the language writes it', () => {
  const odd = ['', '"', '\\', '\\"\\', 'a\u007fb', '\u0080', '\u07ff\u0800', '\u2028\u2029', '\ufeff\uffff'];
  const pairs = ['🔥', 'a🔥"', '\ud83d', '\udd25\ud83d', 'x\udfff', '\ud7ff\ue000', '☃\u0001'];
  for (const text of [...odd, ...pairs, 'Jürgen ☃ Крокодил', '\u0000'.repeat(100)]) {
    assert.equal(jsonOf(text), JSON.stringify(text));
  }
  for (let unit = 0; unit <= 0xffff; unit++) {
    const text = String.fromCharCode(97, unit, 98);
    assert.equal(jsonOf(text), JSON.stringify(text), unit.toString(16));
  }
  const below = randomNumbers(3);
  const kinds = [() => below(0x80), () => below(0x800), () => below(0x10000), () => 0xd800 + below(0x800)];
  for (let i = 0; i < 3000; i++) {
    const units = Array.from({ length: below(40) }, () => kinds[below(kinds.length)]?.() ?? 0);
    const text = String.fromCharCode(...units);
    assert.equal(jsonOf(text), JSON.stringify(text));
  }
});

test('numbers are written as the language writes them', () => {
  const edges = [0, -0, -1, 1.5, -(2 ** 31), 2 ** 32, 2 ** 53, 1e21, -Number.MAX_VALUE, 5e-324, Number.NaN];
  for (let power = 1; power <= 1e9; power *= 10) edges.push(power - 1, power, power + 1, -power);
  for (let bits = 1; bits <= 32; bits++) edges.push(2 ** bits - 1, 2 ** bits);
  for (const value of edges) assert.equal(textOf(value), `${value}`);
});

test('text that lies in bytes is written as if it were read first, wherever in it something special is', () => {
  for (let length = 0; length <= 9; length++) {
    for (let at = 0; at < length; at++) {
      for (let byte = 0; byte <= 0xff; byte++) {
        const text = Buffer.alloc(length, 'a');
        text[at] = byte;
        assert.equal(jsonOfBytes(text), JSON.stringify(text.toString()), `${byte} at ${at} of ${length}`);
      }
    }
  }
  const below = randomNumbers(4);
  const bytes = () => [0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7e, 0x7f][below(10)] ?? 0;
  const texts = ['', 'Jürgen ☃ "Крокодил"', 'a🔥"', '\ufffd'];
  for (const text of texts) assert.equal(jsonOfBytes(Buffer.from(text)), JSON.stringify(text));
  for (let i = 0; i < 3000; i++) {
    const text = Buffer.from(Array.from({ length: below(40) }, below(9) === 0 ? () => below(0x100) : bytes));
    assert.equal(jsonOfBytes(text), JSON.stringify(text.toString()));
  }
});

test('pieces are written whole, and at most three bytes behind', () => {
  for (const text of [
    '',
    'x',
    '"é"',
    ...Array.from({ length: 9 }, (_, i) => '☃'.repeat(i)),
    'x'.repeat(500),
  ]) {
    assert.equal(
      written(Buffer.byteLength(text) + 3, (memory, start) => writePiece(memory, start, new Piece(text))),
      text,
    );
  }
});
