import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_SECONDS, DayQuota } from '../../../core/access/day-quota.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import type { Operation } from '../../../core/store/storage-engine.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine } from '../scratch-store.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function opened(t: TestContext) {
  const directory = scratchDirectory();
  const clock = clockAt();
  const quotas: DayQuota[] = [];
  // This hook closes the quotas, and must run before the hook that closes the store. Hooks run in the order in which
  // they are registered, so this hook is registered before `openEngine` registers the other hook.
  t.after(() => {
    for (const quota of quotas) quota.close();
  });
  let engine: LevelDbStore;
  const load = async (): Promise<DayQuota> => {
    engine = await openEngine(t, directory);
    const quota = await DayQuota.load(engine, clock.now);
    quotas.push(quota);
    return quota;
  };
  const quota = await load();
  return {
    clock,
    quota,
    async restart(): Promise<DayQuota> {
      await engine.close();
      return load();
    },
    async keys(): Promise<string[]> {
      // Makes one more write and waits until it is stored. The storage engine stores writes in order, so all earlier
      // writes are then stored too.
      await engine.commit([{ type: 'del', key: 'nothing' }]);
      const keys: string[] = [];
      for await (const [key] of engine.entries('q/')) keys.push(key);
      return keys;
    },
  };
}

test('the used daily quota of a token is 0 before its first request, and each token has its own count', async t => {
  const { quota } = await opened(t);
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
  const { quota, clock } = await opened(t);
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
  const { quota, clock } = await opened(t);
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

test('a restart of the core keeps the number of requests that were charged to a token in each minute', async t => {
  const { quota, clock, restart } = await opened(t);
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
  const { quota, restart } = await opened(t);
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
  const { quota, clock, keys } = await opened(t);
  quota.charge('a');
  quota.flush();
  assert.equal((await keys()).length, 1);
  clock.at += DAY;
  quota.used('a');
  quota.flush();
  assert.deepEqual(await keys(), []);
});

test('the store keeps only the request counts of the last 24 hours, even if the usage of the token is never read', async t => {
  const { quota, clock, keys } = await opened(t);
  for (let minute = 0; minute < 3 * 24 * 60; minute++) {
    quota.charge('pro');
    clock.at += MINUTE;
  }
  quota.flush();
  assert.ok((await keys()).length <= 24 * 60);
});

test('if the clock is set back, all earlier requests count towards the daily quota for another 24 hours', async t => {
  const { quota, clock, keys, restart } = await opened(t);
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
