import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { scratchDirectory } from '../../system/scratch-directory.ts';

/**
 * When V8 marks the old generation depends on what it measured of its own speed: of equal processes that answer a hundred
 * servers by FetchStream one takes 250 µs an answer and the next 550. If the heap may grow more, none marks all the time.
 * It comes before the options of the scripts, which override it.
 */
const HEAP_GROWS = '--heap-growing-percent=400';

/** Cores that this process may run on, by number. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'latin1');
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Keeps this process and all it starts on some cores. False without taskset. */
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
 * Keeps this process and those it starts off the first core, and makes a `node` that runs on that core alone. Returns a
 * PATH on which that `node` is the first: what the services of both sides run by. Without taskset, or on a single core, all
 * share the cores.
 */
export function steadyPath(): string {
  const [first, ...others] = allowedCores();
  const pinned = others.length > 0 && restrictTo(others);
  const command = pinned ? `taskset -c ${first} ${process.execPath}` : process.execPath;
  const directory = scratchDirectory();
  const node = join(directory, 'node');
  writeFileSync(node, `#!/bin/sh\nexec ${command} ${process.env.FLAGS ?? HEAP_GROWS} "$@"\n`);
  chmodSync(node, 0o755);
  return [directory, process.env.PATH].join(delimiter);
}
