/** Loaded into a process under fuzz: tells its launcher, when asked, what it holds. */

/** In bytes. */
export interface MemoryReport {
  /** What JavaScript holds, buffers included. */
  held: number;
  rss: number;
}

process.on('message', message => {
  if (message !== 'memory') return;
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const report: MemoryReport = { held: heapUsed + external, rss };
  process.send?.(report);
});
