import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_SECONDS } from '../../../core/access/day-quota.ts';
import { DAY, MINUTE, openDayQuota } from './day-quota-fixture.ts';

test('the used daily quota of a token is 0 before its first request, and each token has its own count', async t => {
  const { quota } = await openDayQuota(t);
  assert.deepEqual([quota.used('a'), quota.resetSeconds('a')], [0, DAY_SECONDS]);
  quota.charge('a');
  quota.charge('a');
  quota.charge('b');
  assert.deepEqual(
    ['a', 'b', 'c'].map(id => quota.used(id)),
    [2, 1, 0],
  );
});

test('a request counts towards the daily quota for 24 hours, measured from the start of the minute of the request', async t => {
  const { quota, clock } = await openDayQuota(t);
  const start = clock.at;
  clock.at = start + MINUTE - 1;
  quota.charge('a');
  clock.at = start + 10 * MINUTE;
  quota.charge('a');
  clock.at = start + DAY - 1;
  assert.equal(quota.used('a'), 2);
  clock.at = start + DAY;
  assert.equal(quota.used('a'), 1);
  clock.at = start + 10 * MINUTE + DAY - 1;
  assert.equal(quota.used('a'), 1);
  clock.at = start + 10 * MINUTE + DAY;
  assert.equal(quota.used('a'), 0);
});

test('the reset time of a daily quota is the number of seconds until its oldest request no longer counts', async t => {
  const { quota, clock } = await openDayQuota(t);
  const start = clock.at;
  clock.at = start + 30_500;
  quota.charge('a');
  assert.equal(quota.resetSeconds('a'), DAY_SECONDS - 30);
  clock.at = start + 5 * MINUTE;
  quota.charge('a');
  assert.equal(quota.resetSeconds('a'), DAY_SECONDS - 300);
  clock.at = start + DAY - 1;
  assert.equal(quota.resetSeconds('a'), 1);
  clock.at = start + DAY;
  assert.equal(quota.resetSeconds('a'), 300, 'now the second charge is the oldest');
});

test('if the clock is set back, all earlier requests count towards the daily quota for another 24 hours', async t => {
  const { quota, clock, keys, restart } = await openDayQuota(t);
  const right = clock.at;
  clock.at += 10 * 365 * DAY;
  quota.charge('free');
  quota.charge('free');
  quota.flush();
  clock.at = right + MINUTE;
  assert.equal(quota.used('free'), 2);
  quota.charge('free');
  assert.deepEqual([quota.used('free'), quota.resetSeconds('free')], [3, DAY_SECONDS]);
  quota.close();
  assert.deepEqual(await keys(), [`q/free/${clock.at / MINUTE}`]);
  const again = await restart();
  assert.equal(again.used('free'), 3);
  clock.at += DAY;
  assert.equal(again.used('free'), 0);
});
