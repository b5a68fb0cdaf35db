import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportedFailure } from '../../../prober/answers/reported-failure.ts';

const detailOf = (detail: string, secret?: string) =>
  reportedFailure({ kind: 'malformed', detail }, secret).detail;

test('the detail of a reported failure is truncated to 200 characters', () => {
  assert.equal(detailOf('short'), 'short');
  assert.equal(detailOf('x'.repeat(250_000)), 'x'.repeat(200));
});

test('the detail of a reported failure stays valid Unicode, even if the truncation cuts through a character', () => {
  assert.equal(detailOf(`${'x'.repeat(199)}\u{1f3ae}`), `${'x'.repeat(199)}\ufffd`);
});

test('the secret of a game server is removed from the detail of a reported failure before the detail is truncated', () => {
  assert.equal(detailOf(`${'x'.repeat(195)}secret`, 'secret'), `${'x'.repeat(195)}(hidd`);
});
