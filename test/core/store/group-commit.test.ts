import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { GroupCommit } from '../../../core/store/group-commit.ts';

/** Longer than any test, in milliseconds: a group with only this delay is not written during a test. */
const NEVER_MS = 3_600_000;

/** Creates a group commit that notes its groups. The test ends each write. */
function written(operations = 100) {
  const groups: string[][] = [];
  const ends: (() => void)[] = [];
  const events = new EventEmitter();
  const commit = new GroupCommit<string, void>(
    { operations, delayMs: NEVER_MS },
    {
      write(group, _sync, done) {
        groups.push([...group]);
        ends.push(() => done(undefined, undefined));
        events.emit('write');
      },
      onWritten() {},
      onFailure: cause => assert.fail(cause),
    },
  );
  return { commit, groups, nextWrite: () => once(events, 'write'), endWrite: () => ends.shift()?.() };
}

test('an operation with a short delay is written together with all operations that were queued before it', async () => {
  const { commit, groups, nextWrite, endWrite } = written();
  commit.append('a');
  commit.append('b', 1);
  await nextWrite();
  endWrite();
  assert.deepEqual(groups, [['a', 'b']]);
});

test('operations that are queued while a group is being written wait for their own delay', async () => {
  const { commit, groups, nextWrite, endWrite } = written();
  commit.append('a', 1);
  await nextWrite();
  commit.append('b');
  endWrite();
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  assert.deepEqual(groups, [['a']]);
  commit.append('c', 1);
  await nextWrite();
  endWrite();
  assert.deepEqual(groups, [['a'], ['b', 'c']]);
});

test('operations for which a caller waits are written at once, with all queued operations', async () => {
  const { commit, groups, endWrite } = written();
  commit.append('a');
  const committed = commit.commit(['b']);
  endWrite();
  await committed;
  assert.deepEqual(groups, [['a', 'b']]);
});

test('a group that reaches its maximum number of operations is written at once', () => {
  const { commit, groups, endWrite } = written(3);
  for (const operation of ['a', 'b', 'c']) commit.append(operation);
  assert.deepEqual(groups, [['a', 'b', 'c']]);
  endWrite();
});

test('drain writes all queued operations', async () => {
  const { commit, groups, nextWrite, endWrite } = written();
  commit.append('a', 1);
  await nextWrite();
  commit.append('b');
  const drained = commit.drain();
  endWrite();
  endWrite();
  await drained;
  assert.deepEqual(groups, [['a'], ['b']]);
});
