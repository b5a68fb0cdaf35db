import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListJudge } from '../../../prober/directories/list-judge.ts';

const MINUTE_MS = 60_000;

test('believes the first list, and those that shrink by half or grow', () => {
  const judge = new ListJudge();
  for (const [i, size] of [100, 50, 25, 13, 200].entries()) {
    assert.equal(judge.doubt(size, i * MINUTE_MS), undefined, `${size}`);
  }
});

test('never believes an empty list', () => {
  const judge = new ListJudge();
  for (let i = 0; i < 3; i++) assert.equal(judge.doubt(0, i * MINUTE_MS), 'the list is empty');
});

test('believes a list of under half the size when it is seen again', () => {
  const judge = new ListJudge();
  judge.doubt(100, 0);
  assert.equal(judge.doubt(49, MINUTE_MS), 'the list shrank from 100 servers to 49');
  assert.equal(judge.doubt(20, 2 * MINUTE_MS), 'the list shrank from 100 servers to 20', 'it shrinks on');
  assert.equal(judge.doubt(10, 3 * MINUTE_MS), undefined);
  assert.equal(judge.doubt(4, 4 * MINUTE_MS), 'the list shrank from 10 servers to 4');
});

test('believes a list again that has grown back, and then doubts a small one anew', () => {
  const judge = new ListJudge();
  judge.doubt(100, 0);
  assert.notEqual(judge.doubt(10, MINUTE_MS), undefined);
  assert.equal(judge.doubt(98, 2 * MINUTE_MS), undefined);
  assert.notEqual(judge.doubt(10, 3 * MINUTE_MS), undefined);
});

test('believes a small list when the last good one is older than ten minutes', () => {
  const judge = new ListJudge();
  judge.doubt(100, 0);
  assert.equal(judge.doubt(10, 10 * MINUTE_MS), undefined);
});
