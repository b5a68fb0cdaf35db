import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueWheel } from '../../../core/schedule/due-wheel.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const WIDTH = 50;
const slotOf = (time: number): number => Math.floor(time / WIDTH);

test('takes what a sorted list would, whatever the order of puts and takes', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = randomNumbers(seed);
    const wheel = new DueWheel(WIDTH);
    const list: { key: string; slot: number }[] = [];
    let now = 1_000_000;
    for (let step = 0; step < 400; step++) {
      const action = random(10);
      if (action < 6) {
        const key = `k${step}`;
        const dueAt = now - 500 + random(5000);
        wheel.put(key, dueAt);
        list.push({ key, slot: slotOf(dueAt) });
      } else if (action < 8) {
        // Sorting keeps the order of what is equal, as the wheel keeps that of insertion.
        list.sort((a, b) => a.slot - b.slot);
        const due = list.filter(({ slot }) => slot <= slotOf(now));
        const expected = due.slice(0, 1 + random(8));
        list.splice(0, expected.length);
        const limit = Math.max(expected.length, 1);
        assert.deepEqual(
          wheel.takeDue(now, limit),
          expected.map(({ key }) => key),
          `seed ${seed}, step ${step}`,
        );
      } else now += random(2000);
    }
    list.sort((a, b) => a.slot - b.slot);
    assert.deepEqual(
      wheel.takeDue(now + 10_000, 1000),
      list.map(({ key }) => key),
      `seed ${seed}, the rest`,
    );
  }
});

test('an empty wheel gives nothing, at any time, before and after it was filled', () => {
  const wheel = new DueWheel(WIDTH);
  assert.deepEqual(wheel.takeDue(Date.UTC(2026, 0, 1), 10), []);
  wheel.put('a', 1000);
  assert.deepEqual(wheel.takeDue(1000, 10), ['a']);
  assert.deepEqual(wheel.takeDue(Date.UTC(2026, 0, 1), 10), []);
  wheel.put('b', 1000);
  assert.deepEqual(wheel.takeDue(1000, 10), ['b'], 'a time before what was taken already');
});

test('a key is not taken before its bucket began', () => {
  const wheel = new DueWheel(WIDTH);
  wheel.put('a', 1000);
  assert.deepEqual(wheel.takeDue(999, 10), []);
  assert.deepEqual(wheel.takeDue(1000, 10), ['a']);
});

test('a limit of 0 takes nothing and loses nothing', () => {
  const wheel = new DueWheel(WIDTH);
  wheel.put('a', 0);
  assert.deepEqual(wheel.takeDue(100, 0), []);
  assert.deepEqual(wheel.takeDue(100, 1), ['a']);
});
