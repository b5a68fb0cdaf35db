import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimingWheel } from '../../../../core/store/memory/timing-wheel.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';

const WIDTH = 50;
const timeOf = (time: number): number => Math.floor(time / WIDTH);

test('the timing wheel returns the same items as a sorted list after random operations', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = randomNumbers(seed);
    const wheel = new TimingWheel(WIDTH);
    const list: { slot: number; time: number }[] = [];
    const leave = (slot: number): void => {
      const at = list.findIndex(entry => entry.slot === slot);
      if (at >= 0) list.splice(at, 1);
    };
    let now = 1_000_000;
    for (let step = 0; step < 600; step++) {
      const action = random(12);
      const slot = random(300);
      if (action < 6) {
        const dueAt = now - 500 + random(random(10) === 0 ? 500_000 : 5000);
        wheel.put(slot, dueAt);
        leave(slot);
        list.push({ slot, time: timeOf(dueAt) });
      } else if (action < 8) {
        const isIn = list.some(entry => entry.slot === slot);
        assert.equal(wheel.remove(slot), isIn);
        leave(slot);
      } else if (action < 10) {
        // A stable sort keeps items with equal times in the order of insertion. The timing wheel must also return these
        // items in this order.
        list.sort((a, b) => a.time - b.time);
        const due = list.filter(({ time }) => time <= timeOf(now));
        const expected = due.slice(0, 1 + random(8));
        list.splice(0, expected.length);
        const limit = Math.max(expected.length, 1);
        assert.deepEqual(
          wheel.takeDue(now, limit),
          expected.map(entry => entry.slot),
          `seed ${seed}, step ${step}`,
        );
      } else now += random(2000);
    }
    list.sort((a, b) => a.time - b.time);
    assert.deepEqual(
      wheel.takeDue(now + 600_000, 1000),
      list.map(({ slot }) => slot),
      `seed ${seed}, the rest`,
    );
  }
});

test('an empty timing wheel returns no items, and accepts new items after all earlier items were taken', () => {
  const wheel = new TimingWheel(WIDTH);
  assert.deepEqual(wheel.takeDue(Date.UTC(2026, 0, 1), 10), []);
  wheel.put(7, 1000);
  assert.deepEqual(wheel.takeDue(1000, 10), [7]);
  assert.deepEqual(wheel.takeDue(Date.UTC(2026, 0, 1), 10), []);
  wheel.put(8, 1000);
  assert.deepEqual(wheel.takeDue(1000, 10), [8], 'a time before what was taken already');
});

test('the timing wheel returns an item when the time range of the item begins, but not 1 ms earlier', () => {
  const wheel = new TimingWheel(WIDTH);
  wheel.put(0, 1000);
  assert.deepEqual(wheel.takeDue(999, 10), []);
  assert.deepEqual(wheel.takeDue(1000, 10), [0]);
});

test('takeDue() with a limit of 0 returns no item and removes no item from the timing wheel', () => {
  const wheel = new TimingWheel(WIDTH);
  wheel.put(0, 0);
  assert.deepEqual(wheel.takeDue(100, 0), []);
  assert.deepEqual(wheel.takeDue(100, 1), [0]);
});

test('the timing wheel returns an item that was added twice only once, after the items that were added in between', () => {
  const wheel = new TimingWheel(WIDTH);
  for (const slot of [1, 2, 3, 1]) wheel.put(slot, 1000);
  assert.deepEqual(wheel.takeDue(1000, 10), [2, 3, 1]);
});

test('the timing wheel does not return removed items, and ignores the removal of an absent item', () => {
  const wheel = new TimingWheel(WIDTH);
  for (const slot of [1, 2, 3]) wheel.put(slot, 1000);
  for (const slot of [2, 9, 100_000]) wheel.remove(slot);
  assert.deepEqual(wheel.takeDue(1000, 10), [1, 3]);
});

test('the timing wheel returns 100,000 items with the same due time in the order of insertion', () => {
  const wheel = new TimingWheel(WIDTH);
  for (let slot = 0; slot < 100_000; slot++) wheel.put(slot, 1000);
  let expected = 0;
  for (let taken = wheel.takeDue(1000, 777); taken.length > 0; taken = wheel.takeDue(1000, 777)) {
    for (const slot of taken) assert.equal(slot, expected++);
  }
  assert.equal(expected, 100_000);
});
