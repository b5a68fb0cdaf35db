import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_BEHIND_S, WriteBehind } from '../../../../core/store/memory/write-behind.ts';

const AT = 1_700_000_000_000;
const LIMIT_MS = MOST_BEHIND_S * 1000;

test('a changed server record becomes due for writing when the maximum write delay has passed since its last write', () => {
  const behind = new WriteBehind();
  behind.written(7, AT);
  assert.equal(behind.isBehind(7), false);
  assert.equal(behind.changed(7, AT + 1000), false);
  assert.equal(behind.isBehind(7), true);
  assert.equal(behind.changed(7, AT + LIMIT_MS - 1000), false);
  assert.equal(behind.changed(7, AT + LIMIT_MS), true);
  behind.written(7, AT + LIMIT_MS);
  assert.equal(behind.isBehind(7), false);
  assert.equal(behind.changed(7, AT + LIMIT_MS + 1000), false);
});

test('a changed server record is due for writing immediately if the clock was set back', () => {
  const behind = new WriteBehind();
  behind.written(0, AT);
  assert.equal(behind.changed(0, AT - 86_400_000), true);
});

test('after a start, the times at which changed server records become due for writing are spread evenly over the maximum write delay', () => {
  const behind = new WriteBehind();
  for (let slot = 0; slot < 3000; slot++) behind.loaded(slot, AT);
  const due = (now: number): number => {
    let count = 0;
    for (let slot = 0; slot < 3000; slot++) if (behind.changed(slot, now)) count++;
    return count;
  };
  assert.deepEqual([due(AT), due(AT + LIMIT_MS / 2), due(AT + LIMIT_MS)], [0, 1500, 3000]);
});

test('a new server has no unwritten change, even if it reuses the table index of a changed server that was removed', () => {
  const behind = new WriteBehind();
  behind.written(3, AT);
  behind.changed(3, AT + 1000);
  behind.forget(3);
  assert.equal(behind.isBehind(3), false);
});

test('unwritten changes are tracked for each index in the server table, even for the index 1,000,000', () => {
  const behind = new WriteBehind();
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

test('after a failed write, a server record stays marked as unwritten until a write succeeds or its server is removed', () => {
  const behind = new WriteBehind();
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
