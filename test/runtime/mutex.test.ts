import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mutex } from '../../runtime/mutex.ts';

test('a mutex runs one function at a time, in the order of the calls, and continues after a function has failed', async () => {
  const mutex = new Mutex();
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise(setImmediate);
    events.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map(name => mutex.run(work(name))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(
    events,
    ['a', 'b', 'c'].flatMap(name => [`${name} begins`, `${name} ends`]),
  );
});
