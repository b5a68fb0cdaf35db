import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { scratchDirectory } from '../../system/scratch-directory.ts';

/**
 * Node option that lets the heap grow more before V8 starts to mark the old generation for garbage collection. Without
 * this option, V8 constantly marks in some processes and never in others. FetchStream for a hundred servers then takes
 * 550 µs of CPU time for each response in some processes, and 250 µs in others. If an npm script sets this option
 * itself, the value of the npm script applies.
 */
const HEAP_GROWS = '--heap-growing-percent=400';

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
 * Restricts this process, and all processes that it starts later, to some CPU cores. Returns false if the program
 * taskset is not installed.
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
 * Reserves the first CPU core for the measured services. This process and its load generators stop using that core.
 * Writes a shell script named `node` that runs Node on that core. Returns a PATH that begins with the folder of the
 * shell script. If taskset is not installed or there is only one core, no core is reserved.
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
