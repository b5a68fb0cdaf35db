import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { blockRuns } from './block-runs.ts';
import { shellBlocks } from './shell-blocks.ts';

const root = resolve(import.meta.dirname, '../..');

test('test/docs/block-runs.ts lists each shell block of the documentation, with the script that runs it or the reason for no script', () => {
  const counts: Record<string, Record<string, number>> = {};
  for (const { page, heading } of shellBlocks()) {
    counts[page] ??= {};
    counts[page][heading] = (counts[page][heading] ?? 0) + 1;
  }
  const named = Object.entries(blockRuns).map(([page, headings]) => [
    page,
    Object.fromEntries(Object.entries(headings).map(([heading, runs]) => [heading, runs.length])),
  ]);
  assert.deepEqual(Object.fromEntries(named), counts);
});

test('every script whose path is in test/docs/block-runs.ts exists', () => {
  const named = Object.values(blockRuns).flatMap(headings => Object.values(headings).flat());
  const missing = named.flatMap(({ by }) => (by !== undefined && !existsSync(join(root, by)) ? [by] : []));
  assert.deepEqual(missing, []);
});
