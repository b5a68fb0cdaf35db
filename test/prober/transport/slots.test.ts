import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from '../../../prober/transport/slots.ts';

test('a semaphore with one slot and a queue of length two admits one caller, queues the next two and refuses the fourth', async () => {
  const slots = new Slots(1, 2);
  assert.equal(await slots.acquire(), true);
  const order: number[] = [];
  const second = slots.acquire().then(had => order.push(had ? 2 : -2));
  const third = slots.acquire().then(had => order.push(had ? 3 : -3));
  assert.equal(await slots.acquire(), false);
  slots.release();
  await second;
  assert.deepEqual(order, [2]);
  slots.release();
  await third;
  slots.release();
  assert.deepEqual(order, [2, 3]);
  assert.equal(await slots.acquire(), true);
});
