import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from '../system/child.ts';

const SLICED = fileURLToPath(new URL('sliced-threads.ts', import.meta.url));
const [major = 0, minor = 0] = release().split('.').map(Number);
const showsSlice =
  existsSync('/proc/self/sched') && /se\.slice/.test(readFileSync('/proc/self/sched', 'utf8'));
const skip =
  showsSlice && (major > 6 || (major === 6 && minor >= 12))
    ? false
    : 'needs Linux 6.12 with /proc/self/sched';

test('shortenSlice() shortens the time slice of the calling thread, but not of a thread that starts later', {
  skip,
}, async () => {
  const child = await Child.start(process.execPath, () => scriptArguments(SLICED));
  assert.equal(await child.ended, 0);
  const [before, main, worker] = child.output.trim().split(' ').map(Number);
  assert.ok(before !== undefined && before > 100_000);
  assert.equal(main, 100_000);
  assert.equal(worker, before);
});
