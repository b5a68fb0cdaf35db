import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportedFailure } from '../../../prober/answers/reported-failure.ts';

const detailOf = (detail: string, secret?: string) =>
  reportedFailure({ kind: 'malformed', detail }, secret).detail;

test('reports the first 200 characters of a detail', () => {
  assert.equal(detailOf('short'), 'short');
  assert.equal(detailOf('x'.repeat(250_000)), 'x'.repeat(200));
});

test('cuts a detail between two characters', () => {
  assert.equal(detailOf(`${'x'.repeat(199)}\u{1f3ae}`), `${'x'.repeat(199)}\ufffd`);
});

test('takes the secret out of a detail before cutting it', () => {
  assert.equal(detailOf(`${'x'.repeat(195)}secret`, 'secret'), `${'x'.repeat(195)}(hidd`);
});
