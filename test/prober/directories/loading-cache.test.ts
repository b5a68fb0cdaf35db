import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadingCache } from '../../../prober/directories/loading-cache.ts';

function remembered({ max = 10, keepFailureMs = 0 } = {}) {
  const clock = { now: 0 };
  const values = new LoadingCache<string>({
    now: () => clock.now,
    keepMs: () => 100,
    keepFailureMs: () => keepFailureMs,
    max,
  });
  let loads = 0;
  const get = (key: string, load = async (last: string | undefined) => `${last ?? 'no'} ${key} ${++loads}`) =>
    values.get(key, load);
  return { clock, values, get, loads: () => loads };
}

test('the loading cache loads a value once for concurrent requests, and loads it again after it has expired', async () => {
  const { clock, values, get } = remembered();
  assert.deepEqual(await Promise.all([get('a'), get('a')]), ['no a 1', 'no a 1']);
  clock.now = 99;
  assert.equal(values.has('a'), true);
  assert.equal(await get('a'), 'no a 1');
  clock.now = 100;
  assert.equal(values.has('a'), false);
  assert.equal(await get('a'), 'no a 1 a 2');
});

test('the loading cache loads a value again after a failure, unless the configuration says that failures are cached', async () => {
  const failing = () => Promise.reject(new Error('down'));
  const forgetful = remembered();
  await assert.rejects(forgetful.get('a', failing), /down/);
  assert.equal(await forgetful.get('a'), 'no a 1');
  const { clock, get } = remembered({ keepFailureMs: 50 });
  await assert.rejects(get('a', failing), /down/);
  await assert.rejects(get('a'), /down/);
  clock.now = 50;
  assert.equal(await get('a'), 'no a 1');
});

test('the loading cache removes a value on request, and removes the least recently used value when the cache is full', async () => {
  const { values, get } = remembered({ max: 2 });
  await get('a');
  await get('b');
  await get('a');
  await get('c');
  assert.deepEqual([values.has('a'), values.has('b'), values.has('c')], [true, false, true]);
  values.forget('a');
  assert.equal(values.has('a'), false);
});
