import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from '../../../prober/http/retry-after.ts';

test('Retry-After in seconds is clamped to between a second and a day', () => {
  const cases = [
    ['120', 120_000],
    ['0', 1_000],
    ['9999999999', 86_400_000],
  ] as const;
  for (const [text, ms] of cases) assert.equal(retryAfterMs({ 'retry-after': text }), ms, text);
});

test("Retry-After as a date is compared with the sender's clock", () => {
  const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
  const later = 'Wed, 21 Oct 2015 07:30:00 GMT';
  assert.equal(retryAfterMs({ date, 'retry-after': later }), 120_000);
  assert.equal(retryAfterMs({ date: later, 'retry-after': date }), 1_000);
});

test('an unreadable Retry-After is ignored', () => {
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
