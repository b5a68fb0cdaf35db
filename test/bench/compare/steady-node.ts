import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { scratchDirectory } from '../../system/scratch-directory.ts';

/**
 * Lets the heap grow more before V8 marks the old generation. V8 decides by its own speed measurements when to mark: of two
 * equal processes that answer a hundred servers by FetchStream, one takes 250 µs per answer and the other 550 µs. With this
 * option none of them marks all the time. The options of the npm scripts come later and override it.
 */
const HEAP_GROWS = '--heap-growing-percent=400';

/** Numbers of the CPU cores that this process may use. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'latin1');
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Restricts this process and those it starts to some CPU cores. Returns false if taskset is not installed. */
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
 * Reserves the first CPU core for the measured services: this process and its load generators leave it, and a script named
 * `node` runs Node on it. Returns a PATH with that script first. Without taskset, or on a single core, nothing is reserved.
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
