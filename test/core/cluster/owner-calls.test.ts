import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import type { Member } from '../../../core/cluster/ownership.ts';
import { OwnerCalls } from '../../../core/cluster/parts/owner-calls.ts';
import { serverKey } from '../../../core/servers/server-record.ts';

const keys = [serverKey('csgo', '127.0.0.1:1'), serverKey('csgo', '127.0.0.2:1')];
const owners: Member[] = keys.map((_, i) => ({ id: `core-${i}`, address: `127.0.0.1:${i + 1}` }));
const ownership = {
  ownerOf: (bucket: number) => owners[keys.findIndex(key => bucketOfServer(key) === bucket)],
  refresh: () => {},
  watch: () => () => {},
};

test('if a request needs data from two cores and both cores answer, neither of the two calls is aborted', async () => {
  const signals: AbortSignal[] = [];
  const calls = new OwnerCalls(ownership, () => 0);
  const answers = await calls.askOwners(keys, 60_000, async ({ id }, _indexes, signal) => {
    signals.push(signal);
    return [id];
  });
  assert.deepEqual(answers, ['core-0', 'core-1']);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, false],
  );
});

test('if servers belong to two cores and the call to one core fails, the call to the other core is aborted', async () => {
  let abort = (): void => {};
  const aborted = new Promise<void>(resolve => {
    abort = resolve;
  });
  const calls = new OwnerCalls(ownership, () => 0);
  const call = calls.askOwners(keys, 60_000, async ({ id }, _indexes, signal) => {
    if (id === 'core-0') throw new Error('failed');
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    await aborted;
    return [undefined];
  });
  await assert.rejects(call, /failed/);
  await aborted;
});
