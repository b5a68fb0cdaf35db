import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  jsonTextRoom,
  NUMBER_ROOM,
  writeJsonText,
  writeNumber,
  writePiece,
} from '../../../core/servers/json-text.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const START = 3;

/** What a function writes into so much room, and nowhere else. */
function written(room: number, write: (bytes: Buffer, start: number) => number): string {
  const bytes = Buffer.alloc(START + room + 1, 0xff);
  const end = write(bytes, START);
  assert.ok(end <= START + room, `${end - START} bytes, at most ${room}`);
  for (let i = 0; i < START; i++) assert.equal(bytes[i], 0xff);
  assert.equal(bytes[START + room], 0xff);
  return bytes.toString('utf8', START, end);
}

const jsonOf = (text: string) =>
  written(jsonTextRoom(text.length), (bytes, start) => writeJsonText(bytes, start, text));
const textOf = (value: number) => written(NUMBER_ROOM, (bytes, start) => writeNumber(bytes, start, value));

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

test('bytes are copied whole', () => {
  for (const text of ['', 'x', 'x'.repeat(500)]) {
    assert.equal(
      written(500, (bytes, start) => writePiece(bytes, start, Buffer.from(text))),
      text,
    );
  }
});
