import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sleeper, WakeHeap } from '../../../core/webhooks/wake-heap.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

test('WakeHeap (a priority queue of timers) always returns the object with the earliest wake time first', () => {
  const random = randomNumbers(11);
  const heap = new WakeHeap<Sleeper>();
  const all = Array.from({ length: 200 }, (): Sleeper => ({ wakeAt: 0, heapIndex: -1 }));
  const expected = new Map<Sleeper, number>();
  let taken = 0;
  for (let step = 0; step < 20_000; step++) {
    const sleeper = all[random(all.length)];
    assert.ok(sleeper);
    const action = random(4);
    if (action < 2) {
      const at = random(1_000);
      heap.schedule(sleeper, at);
      expected.set(sleeper, at);
    } else if (action === 2) {
      heap.remove(sleeper);
      expected.delete(sleeper);
    } else {
      const now = random(1_000);
      const earliest = Math.min(...expected.values());
      const due = heap.takeDue(now);
      if (earliest > now) assert.equal(due, undefined);
      else {
        assert.ok(due);
        assert.equal(expected.get(due), earliest);
        expected.delete(due);
        taken++;
      }
    }
    assert.equal(heap.size, expected.size);
  }
  assert.ok(taken > 1_000, `${taken} taken`);
});
