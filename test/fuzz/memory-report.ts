/**
 * Reports the memory of a fuzzed process to its parent on request. Node loads this module with `--import`.
 */

/** Memory of a process, in bytes. */
export interface MemoryReport {
  /** Live JavaScript memory, buffers included. */
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
