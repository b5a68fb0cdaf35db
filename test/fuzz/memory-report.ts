/**
 * Module that a fuzzed process loads with the Node option `--import`. It reports the memory of the process to the
 * parent process when the parent process requests it.
 */

/** Memory that a fuzzed process uses, in bytes. */
export interface MemoryReport {
  /** JavaScript memory in use after a garbage collection, including buffers. */
  liveBytes: number;
  rss: number;
}

process.on('message', message => {
  if (message !== 'memory') return;
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const report: MemoryReport = { liveBytes: heapUsed + external, rss };
  process.send?.(report);
});
