import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_SECONDS, DayQuota } from '../../../core/access/day-quota.ts';
import type { Operation } from '../../../core/store/storage-engine.ts';
import { clockAt } from '../clock.ts';
import { DAY, MINUTE, openDayQuota } from './day-quota-fixture.ts';

test('a restart of the core keeps the number of requests that were charged to a token in each minute', async t => {
  const { quota, clock, restart } = await openDayQuota(t);
  for (let minute = 0; minute < 3; minute++) {
    for (let i = 0; i <= minute; i++) quota.charge('tok_1');
    quota.charge('tok_2');
    clock.at += MINUTE;
  }
  quota.close();
  const found = await restart();
  assert.deepEqual([found.used('tok_1'), found.used('tok_2')], [6, 3]);
  assert.equal(found.resetSeconds('tok_1'), DAY_SECONDS - 180);
  clock.at += DAY - 2 * MINUTE;
  assert.equal(found.used('tok_1'), 3, 'the minutes came back one by one');
});

test('requests before and after a restart all count towards the daily quota, even if they fall into the same minute', async t => {
  const { quota, restart } = await openDayQuota(t);
  quota.charge('a');
  quota.flush();
  quota.charge('a');
  quota.close();
  const second = await restart();
  second.charge('a');
  second.close();
  assert.equal((await restart()).used('a'), 3);
});

test('counts of requests (usage of the daily quota) are removed from the store after 24 hours', async t => {
  const { quota, clock, keys } = await openDayQuota(t);
  quota.charge('a');
  quota.flush();
  assert.equal((await keys()).length, 1);
  clock.at += DAY;
  quota.used('a');
  quota.flush();
  assert.deepEqual(await keys(), []);
});

test('the store keeps only the request counts of the last 24 hours, even if the usage of the token is never read', async t => {
  const { quota, clock, keys } = await openDayQuota(t);
  for (let minute = 0; minute < 3 * 24 * 60; minute++) {
    quota.charge('pro');
    clock.at += MINUTE;
  }
  quota.flush();
  assert.ok((await keys()).length <= 24 * 60);
});

test('the daily quota counts each request exactly once, even if the clock is set back and a write to the store then fails', async () => {
  for (let refused = 0; refused < 3; refused++) {
    const stored = new Map<string, Buffer>();
    let left = Number.POSITIVE_INFINITY;
    const engine = {
      append(operation: Operation): boolean {
        if (left-- === 0) return false;
        if (operation.type === 'put') stored.set(operation.key, operation.value);
        else stored.delete(operation.key);
        return true;
      },
      async readAll(_prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
        for (const [key, value] of stored) visit(key, value);
      },
    };
    const clock = clockAt();
    const quota = await DayQuota.load(engine, clock.now);
    const right = clock.at;
    for (const ahead of [DAY, DAY + MINUTE]) {
      clock.at = right + ahead;
      quota.charge('a');
    }
    quota.flush();
    clock.at = right;
    left = refused;
    assert.equal(quota.used('a'), 2);
    quota.flush();
    const sum = async () => (await DayQuota.load(engine, clock.now)).used('a');
    assert.ok((await sum()) >= 2, `the store forgot charges after the refusal of operation ${refused}`);
    quota.flush();
    assert.equal(await sum(), 2, `the store is wrong after the next write of the changed counts`);
    quota.close();
  }
});
