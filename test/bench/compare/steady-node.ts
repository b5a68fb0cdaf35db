import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setSlice } from '../../../runtime/thread-slice.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

/**
 * Node option that makes garbage collection less frequent. Without this option, the same FetchStream call takes 550 µs
 * of CPU time in some runs, and 250 µs in others.
 */
const HEAP_GROWS = '--heap-growing-percent=400';

/**
 * Time slice of the main threads of all measured processes, in nanoseconds. Gateway and core shorten the time slices of
 * their main threads. If only one of the compared checkouts did so, its processes would interrupt those of the other
 * checkout. They would get smaller batches of work, and therefore need more CPU time.
 */
const SLICE_NS = 2_000_000n;

/**
 * Gives the main threads of the measured processes the same time slice. Call this after the warm-up, because gateway
 * and core set their own time slices after their start.
 */
export async function equaliseSlices(pids: readonly number[]): Promise<void> {
  for (const pid of pids) await setSlice(pid, SLICE_NS);
}

/** Returns the numbers of the CPU cores on which this process is allowed to run. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'latin1');
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/**
 * Makes this process, and all processes that it starts later, run only on these CPU cores. Returns false if the
 * program taskset is not installed.
 */
function restrictTo(cores: readonly number[]): boolean {
  try {
    execFileSync('taskset', ['-acp', cores.join(','), String(process.pid)]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Returns a PATH with a program `node` that runs Node on the first CPU core. From now on, the current process uses only
 * the other CPU cores, so it does not slow down that Node. If taskset is not installed, or if there is only one CPU
 * core, all processes share the CPU cores.
 */
export function steadyPath(): string {
  const [first, ...others] = allowedCores();
  const pinned = others.length > 0 && restrictTo(others);
  const command = pinned ? `taskset -c ${first} ${process.execPath}` : process.execPath;
  const directory = scratchDirectory();
  const node = join(directory, 'node');
  writeFileSync(node, `#!/bin/sh\nexec ${command} ${HEAP_GROWS} "$@"\n`);
  chmodSync(node, 0o755);
  return [directory, process.env.PATH].join(delimiter);
}
