import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_LINES, batches } from '../../../cli/server-list/batches.ts';
import type { ListEntry } from '../../../cli/server-list/list-entry.ts';

async function sizesOf(groups: readonly number[], server: string): Promise<number[]> {
  let line = 0;
  const entries = async function* (): AsyncGenerator<ListEntry[]> {
    for (const size of groups)
      yield Array.from({ length: size }, () => ({ line: ++line, gameId: 'csgo', server }));
  };
  const sizes: number[] = [];
  let last = 0;
  for await (const batch of batches(entries())) {
    sizes.push(batch.length);
    assert.equal(batch[0]?.line, last + 1);
    last = batch.at(-1)?.line ?? 0;
  }
  assert.equal(last, line);
  return sizes;
}

test('gsq servers import sends a list to the core in batches of 500 lines, and keeps the order of lines', async () => {
  assert.deepEqual(await sizesOf([], ''), []);
  assert.deepEqual(await sizesOf([0, 1, 0, 2], 'a:1'), [3]);
  assert.deepEqual(await sizesOf([BATCH_LINES - 1, BATCH_LINES + 2, 3], 'a:1'), [
    BATCH_LINES,
    BATCH_LINES,
    4,
  ]);
});

test('gsq servers import sends a list in smaller batches if its lines are very long', async () => {
  assert.deepEqual(await sizesOf([10], 'x'.repeat(60_000)), [5, 5]);
});
