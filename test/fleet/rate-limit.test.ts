import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ioquake3Limit, sourceLimit } from './rate-limit.ts';

/** Returns how many packets a rate limit admits, if packets from the address `from` arrive at these times (in ms). */
const answered = (limit: ReturnType<typeof sourceLimit>, times: readonly number[], from = 'a') =>
  times.filter(time => limit(from, time)).length;

test('the ioquake3 rate limit of a fake server admits a burst of ten packets per address, and then one packet per second', () => {
  const limit = ioquake3Limit();
  const at = (time: number, count: number) => Array.from({ length: count }, () => time);
  assert.equal(answered(limit, at(0, 30)), 10);
  assert.equal(answered(limit, at(0, 5), 'b'), 5);
  assert.equal(answered(limit, at(999, 5)), 0);
  assert.equal(answered(limit, at(1000, 5)), 1);
  assert.equal(answered(limit, at(4500, 5)), 3);
  assert.equal(answered(limit, at(60_000, 30)), 10);
});

test('the Source engine rate limit of a fake server admits at most 90 packets in 30 seconds', () => {
  const limit = sourceLimit();
  assert.equal(
    answered(
      limit,
      Array.from({ length: 200 }, (_, i) => i * 10),
    ),
    90,
  );
  assert.equal(answered(limit, [29_999]), 0);
  assert.equal(answered(limit, [30_000, 30_001]), 2);
});
