import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Sets the nice value of the calling thread, from 0 (normal) to 19. While CPU time is scarce, threads with a higher
 * nice value get less of it. Works only on Linux, because other systems have no nice values of single threads. On other
 * systems, this function does nothing. Source: setpriority(2), section "C library/kernel differences".
 */
export function setThreadPriority(nice: number): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    // If the thread id is 0, `setPriority` changes the whole process instead of one thread. Therefore it is not called
    // with 0.
    if (thread > 0) setPriority(thread, nice);
  } catch {
    // Without the file system /proc, the thread id is unknown, so the thread keeps its priority.
  }
}
