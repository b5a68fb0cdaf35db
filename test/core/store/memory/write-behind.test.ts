import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_BEHIND_S, WriteBehind } from '../../../../core/store/memory/write-behind.ts';

const PERIOD_MS = MOST_BEHIND_S * 1000;
/**
 * Time at which a write period of the server with the table index 0 begins, Unix ms. A write period lasts MOST_BEHIND_S
 * seconds. In each write period, the core writes a changed server record only once.
 */
const AT = 5_666_666 * PERIOD_MS;

const withPhases = (): WriteBehind => new WriteBehind(slot => slot % MOST_BEHIND_S);

test('a changed server record is due for writing only when a new write period (300 s) begins', () => {
  const behind = withPhases();
  behind.written(0, AT + 1000);
  assert.equal(behind.isBehind(0), false);
  assert.equal(behind.changed(0, AT + 2000), false);
  assert.equal(behind.isBehind(0), true);
  assert.equal(behind.changed(0, AT + PERIOD_MS - 1000), false);
  assert.equal(behind.changed(0, AT + PERIOD_MS), true);
  behind.written(0, AT + PERIOD_MS);
  assert.equal(behind.isBehind(0), false);
  assert.equal(behind.changed(0, AT + PERIOD_MS + 1000), false);
});

test('a write phase of 7 s makes each write period (300 s) of a server begin 7 s earlier', () => {
  const behind = withPhases();
  behind.written(7, AT);
  assert.equal(behind.changed(7, AT + PERIOD_MS - 8000), false);
  assert.equal(behind.changed(7, AT + PERIOD_MS - 7000), true);
});

test('a changed server record is due for writing immediately if the clock was set back', () => {
  const behind = withPhases();
  behind.written(0, AT);
  assert.equal(behind.changed(0, AT - 86_400_000), true);
});

test('the write times of changed server records are spread evenly over a write period', () => {
  const behind = withPhases();
  for (let slot = 0; slot < 3000; slot++) behind.written(slot, AT);
  const due = (now: number): number => {
    let count = 0;
    for (let slot = 0; slot < 3000; slot++) if (behind.changed(slot, now)) count++;
    return count;
  };
  assert.deepEqual([due(AT), due(AT + PERIOD_MS / 2), due(AT + PERIOD_MS)], [0, 1500, 3000]);
});

test('when a server is removed, WriteBehind forgets that its record has an unwritten change', () => {
  const behind = withPhases();
  behind.written(3, AT);
  behind.changed(3, AT + 1000);
  behind.forget(3);
  assert.equal(behind.isBehind(3), false);
});

test('WriteBehind tracks unwritten changes of servers at small and large table indexes, such as 5 and 1,000,000', () => {
  const behind = withPhases();
  behind.written(5, AT);
  behind.changed(5, AT);
  behind.written(1_000_000, AT);
  behind.changed(1_000_000, AT);
  assert.deepEqual(
    [5, 6, 999_999, 1_000_000].map(slot => behind.isBehind(slot)),
    [true, false, false, true],
  );
  assert.equal(behind.changed(5, AT + 1000), false, 'it was written just now');
});

test('after a failed write, a server record stays marked as unwritten until it is written or the server is removed', () => {
  const behind = withPhases();
  behind.written(3, AT);
  behind.markDirty(3);
  behind.markDirty(3);
  behind.markDirty(4);
  assert.deepEqual([behind.dirty, behind.isDirty(3), behind.isBehind(3)], [2, true, true]);
  assert.equal(behind.changed(3, AT + 1000), true, 'the next change tries again');
  assert.equal(behind.isDirty(3), true);
  behind.written(3, AT + 1000);
  behind.forget(4);
  assert.deepEqual([behind.dirty, behind.isDirty(3), behind.isBehind(3)], [0, false, false]);
});
