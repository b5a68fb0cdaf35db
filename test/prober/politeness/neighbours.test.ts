import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Neighbours } from '../../../prober/politeness/neighbours.ts';

const HERE = '1.2.3.4';
const signsOf = (neighbours: Neighbours, port: number, now: number, address = HERE) => {
  const { neighboursAnswered, neighboursSilent } = neighbours.signs(address, port, now);
  return [neighboursAnswered, neighboursSilent];
};

test('what others at the address did counts, what the server itself did does not', () => {
  const neighbours = new Neighbours();
  assert.deepEqual(signsOf(neighbours, 1, 0), [false, false]);
  neighbours.note(HERE, 1, true, 1000);
  neighbours.note(HERE, 1, false, 2000);
  assert.deepEqual(signsOf(neighbours, 1, 2000), [false, false]);
  assert.deepEqual(signsOf(neighbours, 2, 2000), [true, true]);
  neighbours.note(HERE, 2, false, 3000);
  assert.deepEqual(signsOf(neighbours, 1, 3000), [false, true]);
  assert.deepEqual(signsOf(neighbours, 2, 3000), [true, true]);
  assert.deepEqual(signsOf(neighbours, 1, 3000, '1.2.3.5'), [false, false]);
});

test('for two minutes', () => {
  const neighbours = new Neighbours();
  neighbours.note(HERE, 1, true, 1000);
  assert.deepEqual(signsOf(neighbours, 2, 121_000), [true, false]);
  assert.deepEqual(signsOf(neighbours, 2, 122_000), [false, false]);
  // The one before the last is remembered as well as the last.
  neighbours.note(HERE, 2, true, 200_000);
  neighbours.note(HERE, 1, true, 250_000);
  neighbours.note(HERE, 1, true, 300_000);
  assert.deepEqual(signsOf(neighbours, 1, 320_000), [true, false]);
  assert.deepEqual(signsOf(neighbours, 1, 321_000), [false, false]);
});

test('also across generations, and no more addresses than it may', () => {
  const neighbours = new Neighbours(100);
  neighbours.note(HERE, 1, true, 0);
  for (let i = 0; i < 100; i++) neighbours.note(`5.6.7.${i}`, 1, true, 1);
  assert.deepEqual(signsOf(neighbours, 2, 2), [true, false]);
  for (let i = 0; i < 5000; i++) neighbours.note(`6.${i >> 8}.7.${i & 255}`, 1, true, 3);
  assert.ok(neighbours.size <= 200, `${neighbours.size}`);
  assert.deepEqual(signsOf(neighbours, 2, 4, '6.19.7.135'), [true, false]);
});
