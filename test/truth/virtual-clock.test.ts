import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from './virtual-clock.ts';

test('the virtual clock runs events in order of time, and events at equal times in the order of scheduling', async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  for (const at of [30, 10, 20, 10, 40, 5]) clock.at(at, () => ran.push(`${at} at ${clock.now}`));
  clock.at(10, () => clock.after(0, () => ran.push('set meanwhile')));
  await clock.run(30);
  const inOrder = ['5 at 5', '10 at 10', '10 at 10', 'set meanwhile', '20 at 20', '30 at 30'];
  assert.deepEqual(ran, inOrder);
  assert.equal(clock.now, 30);
  await clock.run(50);
  assert.deepEqual(ran, [...inOrder, '40 at 40']);
});

test('the virtual clock runs promise callbacks and immediate events before the virtual time advances', async () => {
  const clock = new VirtualClock();
  const ran: number[] = [];
  clock.at(1, () => {
    clock.soon(() => ran.push(clock.now));
    Promise.resolve().then(() => ran.push(clock.now));
  });
  clock.at(2, () => ran.push(clock.now));
  await clock.run(2);
  assert.deepEqual(ran, [1, 1, 2]);
});

test('the virtual clock calls an interval function repeatedly until the interval is cancelled', async () => {
  const clock = new VirtualClock();
  const ran: number[] = [];
  const end = clock.every(25, () => {
    ran.push(clock.now);
    if (clock.now === 75) end();
  });
  await clock.run(1_000);
  assert.deepEqual(ran, [25, 50, 75]);
});
