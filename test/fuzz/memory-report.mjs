/**
 * Module that a fuzzed process loads with the Node option `--import`. It reports the memory of the process to the
 * parent process when the parent process requests it. It is JavaScript, because a process that runs a bundled program
 * cannot load other TypeScript files on Node 20.
 */
process.on('message', message => {
  if (message !== 'memory') return;
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ liveBytes: heapUsed + external, rss });
});
