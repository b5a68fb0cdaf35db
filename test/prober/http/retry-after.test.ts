import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from '../../../prober/http/retry-after.ts';

test('a Retry-After header in seconds is limited to the range from one second to one day', () => {
  const cases = [
    ['120', 120_000],
    ['0', 1_000],
    ['9999999999', 86_400_000],
  ] as const;
  for (const [text, ms] of cases) assert.equal(retryAfterMs({ 'retry-after': text }), ms, text);
});

test('a date in a Retry-After header is compared with the date in the Date header of the same reply', () => {
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
  const later = 'Wed, 21 Oct 2015 07:30:00 GMT';
  assert.equal(retryAfterMs({ date, 'retry-after': later }), 120_000);
  assert.equal(retryAfterMs({ date: later, 'retry-after': date }), 1_000);
});

test('a Retry-After header that is not valid is ignored', () => {
  for (const text of ['', 'soon', '-5', '1.5', '12345678901']) {
    assert.equal(retryAfterMs({ 'retry-after': text }), undefined, text);
  }
  assert.equal(
    retryAfterMs({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
    undefined,
    'no date of its own',
  );
  assert.equal(retryAfterMs({}), undefined);
});
