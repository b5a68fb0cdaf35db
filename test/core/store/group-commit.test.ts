import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { GroupCommit } from '../../../core/store/group-commit.ts';

/** Write delay in ms that is longer than any test, so that the end of the delay never starts a write. */
const NEVER_MS = 3_600_000;

/**
 * Creates a GroupCommit, and records each group of operations that it writes. A write ends when the test calls
 * `endWrite`.
 */
function written({ operations = 100, delayMs = NEVER_MS } = {}) {
  const groups: string[][] = [];
  const ends: (() => void)[] = [];
  const events = new EventEmitter();
  const commit = new GroupCommit<string, void>(
    { operations, delayMs },
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

test('during a write, GroupCommit collects new operations, and then writes all of them together', async () => {
  const { commit, groups, nextWrite, endWrite } = written({ delayMs: 1 });
  commit.append('a');
  commit.append('b');
  await nextWrite();
  commit.append('c');
  commit.append('d');
  endWrite();
  assert.deepEqual(groups, [
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('GroupCommit writes all queued operations immediately if a caller waits for one of them', async () => {
  const { commit, groups, endWrite } = written();
  commit.append('a');
  const committed = commit.commit(['b']);
  endWrite();
  await committed;
  assert.deepEqual(groups, [['a', 'b']]);
});

test('a group of queued operations is written immediately when it reaches its maximum size', () => {
  const { commit, groups, endWrite } = written({ operations: 3 });
  for (const operation of ['a', 'b', 'c']) commit.append(operation);
  assert.deepEqual(groups, [['a', 'b', 'c']]);
  endWrite();
});

test('GroupCommit.drain() writes all queued operations to the store', async () => {
  const { commit, groups, endWrite } = written();
  commit.append('a');
  const drained = commit.drain();
  commit.append('b');
  endWrite();
  endWrite();
  await drained;
  assert.deepEqual(groups, [['a'], ['b']]);
});
