import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LiveHeap } from '../../runtime/live-heap.ts';
import { until } from '../system/until.ts';

const MEBIBYTE = 2 ** 20;
const NUMBERS_A_MEBIBYTE = MEBIBYTE / 8;

/** Allocates `mebibytes` arrays of 1 MiB each. V8 stores each element, 0.5, as a 64-bit float. */
const held = (mebibytes: number): number[][] =>
  Array.from({ length: mebibytes }, () => new Array<number>(NUMBERS_A_MEBIBYTE).fill(0.5));

test('LiveHeap returns the total size of the live objects after the last full garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // Removes the garbage of other test files in the same process, which would distort the measurement.
  collect();
  const heap = new LiveHeap();
  const before = heap.bytes;
  const kept = held(64);
  collect();
  await until(
    'the heap is seen to have grown',
    () => heap.bytes,
    bytes => bytes > before + 60 * MEBIBYTE,
  );
  assert.equal(kept.length, 64);
  const full = heap.bytes;
  kept.length = 0;
  held(32);
  assert.equal(heap.bytes, full);
  collect();
  await until(
    'the heap is seen to have shrunk',
    () => heap.bytes,
    bytes => bytes < before + 16 * MEBIBYTE,
  );
  heap.close();
});
