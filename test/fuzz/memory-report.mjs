import { findSourceMap } from 'node:module';

/**
 * Module that a fuzzed process loads with the Node option `--import`. It reports the memory of the process to the
 * parent process when the parent process requests it. It is JavaScript, because a process that runs a bundled program
 * cannot load other TypeScript files on Node 20.
 *
 * On Node 20, Node decodes the source map of the bundle when the stack of an error is read for the first time, and then
 * keeps it: 16 MiB in the core. This module decodes it before each measurement, so that it never counts as growth.
 */
process.on('message', message => {
  if (message !== 'memory') return;
  findSourceMap(process.argv[1]);
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ liveBytes: heapUsed + external, rss });
});
