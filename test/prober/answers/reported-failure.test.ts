import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportedFailure } from '../../../prober/answers/reported-failure.ts';

const detailOf = (detail: string, secret?: string) =>
  reportedFailure({ kind: 'malformed', detail }, secret).detail;

test('a reported failure holds the first 200 characters of its detail', () => {
  assert.equal(detailOf('short'), 'short');
  assert.equal(detailOf('x'.repeat(250_000)), 'x'.repeat(200));
});

test('a reported failure is cut between two characters', () => {
  assert.equal(detailOf(`${'x'.repeat(199)}\u{1f3ae}`), `${'x'.repeat(199)}\ufffd`);
});

test('a reported failure loses its secret before it is cut', () => {
  assert.equal(detailOf(`${'x'.repeat(195)}secret`, 'secret'), `${'x'.repeat(195)}(hidd`);
});
