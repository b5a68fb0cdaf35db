import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShrinkGuard } from '../../../prober/directories/shrink-guard.ts';

const MINUTE_MS = 60_000;

test('a new server list is accepted if it has at least half as many servers as the previous list', () => {
  const judge = new ShrinkGuard();
  for (const [i, size] of [100, 50, 25, 13, 200].entries()) {
    assert.equal(judge.doubt(size, i * MINUTE_MS), undefined, `${size}`);
  }
});

test('an empty server list is never accepted', () => {
  const judge = new ShrinkGuard();
  for (let i = 0; i < 30; i++) assert.equal(judge.doubt(0, i * MINUTE_MS), 'the list is empty');
});

test('a server list that shrinks by more than half is accepted only after ten minutes', () => {
  const judge = new ShrinkGuard();
  judge.doubt(100, 0);
  for (let i = 1; i <= 10; i++) {
    assert.equal(judge.doubt(40 + i / 2, i * MINUTE_MS), `the list shrank from 100 servers to ${40 + i / 2}`);
  }
  assert.equal(judge.doubt(49, 11 * MINUTE_MS), undefined);
  assert.equal(judge.doubt(24, 12 * MINUTE_MS), 'the list shrank from 49 servers to 24');
});

test('if a rejected server list shrinks again by more than half, gsq restarts the wait of ten minutes', () => {
  const judge = new ShrinkGuard();
  judge.doubt(100, 0);
  judge.doubt(40, MINUTE_MS);
  assert.notEqual(judge.doubt(10, 10 * MINUTE_MS), undefined);
  assert.notEqual(judge.doubt(10, 11 * MINUTE_MS), undefined);
  assert.equal(judge.doubt(10, 20 * MINUTE_MS), undefined);
});

test('if a server list shrinks, recovers and shrinks again, gsq restarts the wait of ten minutes', () => {
  const judge = new ShrinkGuard();
  judge.doubt(100, 0);
  assert.notEqual(judge.doubt(10, MINUTE_MS), undefined);
  assert.equal(judge.doubt(98, 2 * MINUTE_MS), undefined);
  assert.notEqual(judge.doubt(10, 12 * MINUTE_MS), undefined);
});

test('a much smaller server list is not accepted immediately, even if the previous list is an hour old', () => {
  const judge = new ShrinkGuard();
  judge.doubt(100, 0);
  assert.equal(judge.doubt(10, 60 * MINUTE_MS), 'the list shrank from 100 servers to 10');
  assert.equal(judge.doubt(90, 65 * MINUTE_MS), undefined);
});
