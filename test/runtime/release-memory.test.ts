import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MemoryRelease } from '../../runtime/release-memory.ts';
import { typescript } from '../../runtime/script.ts';

test('MemoryRelease releases memory once for simultaneous calls of releaseSoon(), and again for a later call', async () => {
  const calls: string[] = [];
  const waits: (() => void)[] = [];
  const wait = () => new Promise<void>(resolve => waits.push(resolve));
  const passes = async (): Promise<void> => {
    waits.shift()?.();
    await turn();
  };
  const reclaim = { collect: () => calls.push('collect'), trim: () => calls.push('trim') };
  const memory = new MemoryRelease(wait, async () => reclaim);
  const first = memory.releaseSoon();
  const second = memory.releaseSoon();
  assert.deepEqual(calls, []);
  await passes();
  assert.deepEqual(calls, ['collect']);
  await passes();
  await Promise.all([first, second]);
  assert.deepEqual(calls, ['collect', 'trim']);
  const third = memory.releaseSoon();
  await passes();
  await passes();
  await third;
  assert.deepEqual(calls, ['collect', 'trim', 'collect', 'trim']);
});

test('MemoryRelease releases memory at regular intervals until it is stopped', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const calls: string[] = [];
  const reclaim = { collect: () => calls.push('collect'), trim: () => calls.push('trim') };
  const end = new MemoryRelease(turn, async () => reclaim).releaseEvery(60_000);
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    for (let i = 0; i < 10; i++) await turn();
  };
  await pass(59_999);
  assert.deepEqual(calls, []);
  await pass(1);
  await pass(60_000);
  const twice = ['collect', 'trim', 'collect', 'trim'];
  assert.deepEqual(calls, twice);
  end();
  await pass(60_000);
  assert.deepEqual(calls, twice);
});

/**
 * Source of a program that allocates garbage in the V8 heap and in the heap of the C library. The program prints the
 * growth of its resident memory in bytes twice: before and after the release of the garbage.
 */
const PROGRAM = `
  import { MemoryRelease } from './runtime/release-memory.ts';
  const memory = new MemoryRelease();
  // Keeps the process alive. The timers of MemoryRelease alone would not keep it alive.
  const alive = setInterval(() => {}, 1e6);
  await memory.releaseSoon();
  const resident = () => process.memoryUsage.rss();
  const before = resident();
  // The buffer "last" stays in use at the highest heap address. Therefore the C library keeps the free memory below
  // this buffer until the program asks for its release.
  let parts = Array.from({ length: 4_000 }, () => Buffer.alloc(16_000, 1));
  let objects = Array.from({ length: 400_000 }, (_, i) => ({ i }));
  const last = Buffer.alloc(16_000, 1);
  const full = resident() - before;
  parts = objects = undefined;
  await memory.releaseSoon();
  clearInterval(alive);
  console.log(JSON.stringify({ full, left: resident() - before, last: last.length }));
`;

test('MemoryRelease returns more than half of the garbage of a process to the operating system', async () => {
  const args = ['--expose-gc', '--import', typescript, '--input-type=module', '-e', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { full, left } = JSON.parse(stdout);
  assert.ok(full > 64e6, `${full} bytes were taken`);
  assert.ok(left < full / 2, `${left} of ${full} bytes are left`);
});
