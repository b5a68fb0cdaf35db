import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Sets the nice value of the calling thread, from 0 (normal) to 19 (least CPU time). Does nothing on systems other than
 * Linux. Source: setpriority(2), "C library/kernel differences".
 */
export function setThreadPriority(nice: number): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    // `setPriority` is not called with the thread id 0, because it would change the whole process instead of one
    // thread.
    if (thread > 0) setPriority(thread, nice);
  } catch {
    // Without the file system /proc, the thread id is unknown, so the thread keeps its priority.
  }
}
