import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CallPacing } from '../../../core/rpc/call-pacing.ts';

test('if many calls arrive together, eight of them start in each turn of the event loop, in order of arrival', async () => {
  const pacing = new CallPacing();
  const begun: number[] = [];
  for (let call = 0; call < 20; call++) pacing.startCall(() => begun.push(call));
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

test('a new call does not overtake an earlier call that waits for a later turn of the event loop', async () => {
  const pacing = new CallPacing();
  const begun: string[] = [];
  for (let call = 0; call < 9; call++) pacing.startCall(() => begun.push(`early ${call}`));
  await new Promise<void>(resolve =>
    pacing.startCall(() => {
      begun.push('late');
      resolve();
    }),
  );
  assert.deepEqual(begun.slice(-2), ['early 8', 'late']);
});

test('CallPacing starts a single call immediately, even shortly after a burst of calls', async () => {
  const pacing = new CallPacing();
  for (let call = 0; call < 40; call++) pacing.startCall(() => {});
  await new Promise<void>(resolve => pacing.startCall(resolve));
  await nextTurn();
  await nextTurn();
  let begun = false;
  pacing.startCall(() => {
    begun = true;
  });
  assert.ok(begun);
});
