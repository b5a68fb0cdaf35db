import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InsertRates } from '../../../core/admission/insert-rates.ts';
import { clockAt } from '../clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function rates() {
  const clock = clockAt();
  const counted = new InsertRates({ aMinute: 3, aDay: 5 }, clock.now);
  const take = (count: number, token = 'a') =>
    Array.from({ length: count }, () => counted.countInsert(token));
  return { clock, counted, take };
}

test('each token has its own insert limits per minute and per day', () => {
  const { clock, take } = rates();
  assert.deepEqual(take(4), [undefined, undefined, undefined, 'aMinute']);
  assert.deepEqual(take(1, 'b'), [undefined]);
  clock.at += MINUTE;
  assert.deepEqual(take(3), [undefined, undefined, 'aDay']);
});

test('an insert of a server counts against the daily limit in the clock hour of the insert and in the next 23 hours', () => {
  const { clock, take } = rates();
  take(3);
  clock.at += 2 * HOUR;
  assert.deepEqual(take(3), [undefined, undefined, 'aDay']);
  clock.at += 21 * HOUR;
  assert.deepEqual(take(1), ['aDay']);
  clock.at += HOUR;
  assert.deepEqual(take(4), [undefined, undefined, undefined, 'aMinute'], 'the first three are over');
  clock.at += MINUTE;
  assert.deepEqual(take(1), ['aDay'], 'the two after them are not');
  clock.at += 100 * HOUR;
  assert.deepEqual(take(1), [undefined]);
});

test('uncountInsert() removes one insert from the counts of a token', () => {
  const { clock, counted, take } = rates();
  take(3);
  counted.uncountInsert('a', clock.at);
  assert.deepEqual(take(2), [undefined, 'aMinute']);
});

test('uncountInsert() changes only the counts of the minute and the hour in which the insert was counted', () => {
  const { clock, counted, take } = rates();
  const at = clock.at;
  take(3);
  clock.at += HOUR;
  assert.deepEqual(take(2), [undefined, undefined]);
  for (let i = 0; i < 3; i++) counted.uncountInsert('a', at);
  assert.deepEqual(take(2), [undefined, 'aMinute'], 'this minute still has two inserts');
  clock.at += MINUTE;
  assert.deepEqual(
    take(3),
    [undefined, undefined, 'aDay'],
    'the three inserts of the hour before are removed',
  );
  clock.at += 30 * HOUR;
  counted.uncountInsert('a', at);
  assert.deepEqual(take(3), [undefined, undefined, undefined]);
});

test('if the clock is set back, earlier server inserts still count against the insert limits of a token', () => {
  const { clock, take } = rates();
  take(3);
  clock.at -= 50 * HOUR;
  assert.deepEqual(take(1), ['aMinute']);
  clock.at += MINUTE;
  assert.deepEqual(take(3), [undefined, undefined, 'aDay']);
  clock.at += 24 * HOUR;
  assert.deepEqual(take(1), [undefined]);
});
