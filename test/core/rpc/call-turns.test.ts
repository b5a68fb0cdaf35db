import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CallTurns } from '../../../core/rpc/call-turns.ts';

test('of calls that come together eight begin in a turn, in the order in which they came', async () => {
  const turns = new CallTurns();
  const begun: number[] = [];
  for (let call = 0; call < 20; call++) turns.take(() => begun.push(call));
  const firstTurns: number[] = [];
  while (begun.length < 20) {
    firstTurns.push(begun.length);
    await nextTurn();
  }
  assert.deepEqual(firstTurns, [8, 16]);
  assert.deepEqual(
    begun,
    Array.from({ length: 20 }, (_, call) => call),
  );
});

test('a call that comes while others wait begins after them', async () => {
  const turns = new CallTurns();
  const begun: string[] = [];
  for (let call = 0; call < 9; call++) turns.take(() => begun.push(`early ${call}`));
  await new Promise<void>(resolve =>
    turns.take(() => {
      begun.push('late');
      resolve();
    }),
  );
  assert.deepEqual(begun.slice(-2), ['early 8', 'late']);
});

test('a call that comes alone begins at once, also after a crowd', async () => {
  const turns = new CallTurns();
  for (let call = 0; call < 40; call++) turns.take(() => {});
  await new Promise<void>(resolve => turns.take(resolve));
  await nextTurn();
  await nextTurn();
  let begun = false;
  turns.take(() => {
    begun = true;
  });
  assert.ok(begun);
});
